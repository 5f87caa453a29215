import { describe, expect, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, factsOfType, latch, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

/** A thread whose tool runs until the test lets it end, or it is aborted. */
async function busy(store = memoryStore()) {
  const gate = latch()
  const begun = latch()
  const wait = toolOf('wait', (_, { signal }) => {
    begun.open()
    return Promise.race([gate.opened, new Promise<void>((stop) => signal.addEventListener('abort', () => stop()))])
  })
  const model = recordingModel(({ request }) => (request === 1 ? { toolCalls: [{ name: 'wait' }] } : { text: 'done' }))
  const handle = await runtimeFor(model, { store }).start(agentOf({ tools: [wait] }), { input: 'go' })
  await within(begun.opened)
  return { handle, model, gate, store }
}

describe('the receipt of a message', () => {
  test('says queued until it is taken, then by which run and where', async () => {
    // B060
    const { handle, gate } = await busy()
    const { item } = await handle.message('and this')
    expect(await handle.receipt(item)).toEqual({ item, state: 'queued' })
    const taken = handle.receipt(item, { wait: true })
    gate.open()
    const receipt = await within(taken)
    expect(receipt).toMatchObject({ item, state: 'taken', run: handle.run })
    if (receipt.state !== 'taken') return
    const [commit] = await handle.log(receipt.cursor.sequence, 1)
    expect(commit?.facts[receipt.cursor.index]).toMatchObject({ type: 'message.received', cause: item })
    await within(handle.settled())
    expect(await handle.receipt(item)).toEqual(receipt)
  })

  test('says returned when a cancel came before anybody read it; the text stays readable', async () => {
    // B060
    const { handle, model } = await busy()
    const { item } = await handle.message('for nobody')
    await handle.cancel()
    expect(await within(handle.receipt(item, { wait: true }))).toMatchObject({ state: 'returned', why: 'cancelled' })
    expect(await factsOfType(handle, 'message.returned')).toMatchObject([
      { item, source: { kind: 'host', id: 'host' }, parts: { inline: [{ type: 'text', text: 'for nobody' }] } }
    ])
    expect(model.prompts).toHaveLength(1)
  })

  test('names the run that a message began, also one that nobody here waited for', async () => {
    const { handle, gate, store } = await busy()
    gate.open()
    await within(handle.settled())
    const { item } = await handle.message('again')
    const other = runtimeFor(
      recordingModel(() => ({ text: '' })),
      { store, concurrency: 0 }
    ).thread(handle.id)
    const receipt = await within(other.receipt(item, { wait: true }))
    await within(handle.settled())
    expect(receipt).toMatchObject({ state: 'taken', run: (await handle.runs()).at(-1)?.run })
  })

  test('is known of every item, however many there are', async () => {
    const { handle, gate } = await busy()
    const items = await Promise.all(Array.from({ length: 40 }, async (_, n) => (await handle.message(`m${n}`)).item))
    gate.open()
    const receipts = await within(Promise.all(items.map((item) => handle.receipt(item, { wait: true }))))
    expect(receipts.map(({ state }) => state)).toEqual(items.map(() => 'taken'))
  })

  test('of an item that was never accepted is refused', async () => {
    const { handle } = await busy()
    await expect(handle.receipt('msg_none')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(handle.receipt('msg_none', { wait: true })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('is waited for as long as the signal allows', async () => {
    const { handle } = await busy()
    const { item } = await handle.message('and this')
    const stop = new AbortController()
    const receipt = handle.receipt(item, { wait: true, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(within(receipt)).rejects.toThrow('enough')
    await expect(handle.receipt(item, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
  })

  test('cannot be waited for in a runtime that was closed', async () => {
    const store = memoryStore()
    const runtime = runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { store }
    )
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await within(handle.settled())
    await runtime.close()
    const { item } = await handle.message('for whoever comes')
    expect(await handle.receipt(item)).toEqual({ item, state: 'queued' })
    await expect(within(handle.receipt(item, { wait: true }))).rejects.toMatchObject({ code: 'runtime_closed' })
  })
})

describe('the receipt of a cancel', () => {
  test('says what it did: ended a run, came second, or found none', async () => {
    const { handle } = await busy()
    const cancels = await Promise.all([handle.cancel({ reason: 'first' }), handle.cancel({ reason: 'second' })])
    const receipts = await within(Promise.all(cancels.map(({ item }) => handle.receipt(item, { wait: true }))))
    expect(receipts).toMatchObject([
      { state: 'taken', run: handle.run },
      { state: 'discarded', why: 'stale' }
    ])
    await within(handle.settled())
    const { item } = await handle.cancel()
    expect(await within(handle.receipt(item, { wait: true }))).toMatchObject({ state: 'discarded', why: 'no_run' })
  })
})

describe('a cancelled call', () => {
  // B022
  test('is settled with what is known of its effect: none, perhaps one, or never begun', async () => {
    const clock = fakeClock()
    const told = new Set<string>()
    for (const effect of ['read', 'once'] as const) {
      const begun = latch()
      const deaf = toolOf(
        'deaf',
        () => {
          begun.open()
          return new Promise(() => {})
        },
        { effect }
      )
      const never = toolOf('never', () => 'ran', { effect })
      const model = recordingModel(() => ({ toolCalls: [{ name: 'deaf' }, { name: 'never' }] }))
      const agent = agentOf({ tools: [deaf, never], limits: { maxParallelCalls: 1 } })
      const handle = await runtimeFor(model, { clock }).start(agent, { input: 'go' })
      await within(begun.opened)
      // Without a grace nobody waits for the tool.
      await handle.cancel({ graceMs: 0 })
      await until(async () => {
        await clock.advance(0)
        return (await handle.info()).row.status === 'cancelled'
      })
      const settled = await factsOfType(handle, 'call.settled')
      expect(settled.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled'])
      for (const { result } of settled) told.add(JSON.stringify(result))
      expect(model.prompts).toHaveLength(1)
    }
    expect(told.size).toBe(3)
  })
})
