import { describe, expect, test } from 'vitest'
import type { Hook } from '../src/contracts/hook.ts'
import type { ReconcileContext } from '../src/contracts/tool.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agent, caller, runtimeOf } from './approval-kit.ts'
import { factsOfType, outcomesOf, resultsIn, runThrough, toolOf, until } from './runtime-kit.ts'

interface Asked {
  readonly key: string
  readonly context: ReconcileContext
}

/** A run whose `pay` was begun by a process that is gone, and goes on in another one whose tool answers like this. */
async function goOn(answer: (asked: Asked) => unknown, hooks: readonly Hook[] = []) {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const model = caller({ name: 'pay', arguments: { amount: 3 } })
  const begun: string[] = []
  const asked: Asked[] = []
  const pay = (isFirst: boolean) =>
    toolOf(
      'pay',
      (_, { idempotencyKey, try: count }) => {
        begun.push(`${idempotencyKey}#${count}`)
        return isFirst ? new Promise(() => {}) : 'paid now'
      },
      {
        effect: 'once',
        timeoutMs: 1_000,
        reconcile: (key, context) => {
          asked.push({ key, context })
          return answer({ key, context }) as never
        }
      }
    )
  const first = runtimeOf(store, { models: { main: model }, tools: [pay(true)], clock })
  const run = await first.start(agent('pay'), { input: 'go' })
  await until(() => begun.length === 1)
  await first.close({ graceMs: 0 })
  const second = runtimeOf(store, { models: { main: model }, tools: [pay(false)], clock, hooks })
  const handle = second.thread(run.thread)
  await handle.resume()
  await runThrough(clock, handle.settled())
  const said = (await factsOfType(handle, 'call.reconciled')).map((fact) => [fact.said, fact.final])
  return { asked, begun, said, outcomes: await outcomesOf(handle), shown: [...resultsIn(model.prompts.at(-1)).values()] }
}

describe('a tool that is asked what became of a call', () => {
  test('says what was done, which the model reads, and does nothing again', async () => {
    const { asked, begun, said, outcomes, shown } = await goOn(() => ({ state: 'done', result: 'paid before' }))
    expect(begun).toHaveLength(1)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ context: { input: { amount: 3 }, try: 1, leg: 1, final: false } })
    expect(asked[0]?.key).toBe(begun[0]?.split('#')[0])
    expect({ said, outcomes, shown }).toEqual({
      said: [['done', false]],
      outcomes: ['ok'],
      shown: [{ type: 'text', value: 'paid before' }]
    })
  })

  test('has its word looked at by hooks like any result', async () => {
    const mask: Hook = { name: 'mask', afterToolCall: ({ result }) => ({ do: 'modify', result: { masked: result } }) }
    const { outcomes, shown } = await goOn(() => ({ state: 'done', result: 'paid before' }), [mask])
    expect({ outcomes, shown }).toEqual({ outcomes: ['ok'], shown: [{ type: 'json', value: { masked: { value: 'paid before' } } }] })
  })

  // B043
  test('says that nothing was done, and is started again under the same key when its deadline has passed', async () => {
    const { begun, said, outcomes } = await goOn(() => ({ state: 'not_done' }))
    const [key] = begun[0]?.split('#') ?? []
    expect(begun).toEqual([`${key}#1`, `${key}#2`])
    expect({ said, outcomes }).toEqual({
      said: [
        ['not_done', false],
        ['not_done', true]
      ],
      outcomes: ['ok']
    })
  })

  test.each<{ what: string; answer: () => unknown }>([
    {
      what: 'throws',
      answer: () => {
        throw new Error('the bank is closed')
      }
    },
    { what: 'says nothing that counts', answer: () => 'done' },
    { what: 'never comes back', answer: () => new Promise(() => {}) }
  ])('is asked once more when it $what, and then nobody knows', async ({ answer }) => {
    const { begun, said, outcomes } = await goOn(answer)
    expect(begun).toHaveLength(1)
    expect(said.at(-1)).toEqual(['failed', true])
    expect(outcomes).toEqual(['unknown'])
  })
})
