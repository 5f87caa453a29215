import { describe, expect, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { heldTool, holding } from './held-kit.ts'
import { agentOf, factsOfType, outcomesOf, resultsIn, runThrough, runtimeFor, until, within } from './runtime-kit.ts'

const GRACE_MS = 5_000

/** A thread whose tool is held. */
async function held() {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const { begun, end, tool } = heldTool()
  const model = holding()
  const options = { store, clock, tools: [tool] }
  const runtime = runtimeFor(model, options)
  const handle = await runtime.start(agentOf({ tools: ['hold'] }), { input: 'go' })
  return { clock, model, options, runtime, handle, end, signal: await within(begun) }
}

describe('a call that runs while its runtime closes', () => {
  test('may still end: its result is kept', async () => {
    const { clock, runtime, handle, end, signal } = await held()
    const closed = runtime.close({ graceMs: GRACE_MS })
    await clock.advance(GRACE_MS - 1)
    expect(signal.aborted).toBe(false)
    end.resolve('in time')
    await within(closed)
    expect(signal.aborted).toBe(false)
    expect(await outcomesOf(handle)).toEqual(['ok'])
    expect(clock.sleepers).toBe(0)
  })

  test.each([
    ['gives', (end: PromiseWithResolvers<string>) => end.resolve('late')],
    ['throws', (end: PromiseWithResolvers<string>) => end.reject(new Error('late'))]
  ])('and is told after the grace is let go: what it %s late counts for nothing', async (_, endLate) => {
    const { clock, model, options, runtime, handle, end, signal } = await held()
    const closed = runtime.close({ graceMs: GRACE_MS })
    await clock.advance(GRACE_MS)
    expect(signal.aborted).toBe(true)
    await within(closed)
    endLate(end)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await factsOfType(handle, 'call.settled')).toEqual([])
    const other = runtimeFor(model, { ...options, recover: true }).thread(handle.id)
    expect(await runThrough(clock, other.settled())).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(other)).toEqual(['unknown'])
    expect([...resultsIn(model.prompts.at(-1)).values()]).toMatchObject([{ type: 'error-text' }])
  })
})

test('a call that throws after it was cancelled is cancelled', async () => {
  const { handle, end, signal } = await held()
  await handle.cancel({ graceMs: GRACE_MS })
  await until(() => signal.aborted)
  end.reject(new Error('stopped'))
  expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
  expect(await outcomesOf(handle)).toEqual(['cancelled'])
})
