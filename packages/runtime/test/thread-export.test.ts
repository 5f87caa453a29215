import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { answer, callPart } from './model/outcomes.ts'
import { publicationOf } from './model/publication.ts'
import { digested, RecordedThread } from './model/recorded-thread.ts'
import { anyStep, play } from './model/script.ts'
import { propertyShare } from './model/share.ts'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, factsOfType, latch, outcomesOf, recordingModel, runtimeFor, sqlite, toolOf, until, within } from './runtime-kit.ts'

const STORES = {
  memory: async (): Promise<Store> => memoryStore(),
  SQLite: sqlite
}

/** What text of any kind survives, and what a person would not want in a terminal. */
const HOSTILE = 'a\u2028b\u2029c\u009b31m\u202ed\ufeff \u0000 \ud800 "\\\n é 漢 🜁'

async function textOf(thread: Pick<ThreadHandle, 'export'>): Promise<string> {
  let text = ''
  for await (const line of thread.export()) text += line
  return text
}

/** A model that looks once and then echoes how much it was shown. */
function lookingModel(): RecordingModel {
  return recordingModel(({ answers, prompt }) =>
    answers === 0 ? { toolCalls: [{ name: 'look', arguments: { at: HOSTILE } }] } : { text: `${HOSTILE} ${prompt.length}` }
  )
}

const look = toolOf('look', () => ({ seen: HOSTILE }), { effect: 'read' })

describe.each(Object.entries(STORES))('an export of the %s store', (_name, open) => {
  test('gives the same bytes again, and after an import into another store', async () => {
    const first = runtimeFor(lookingModel(), { store: await open(), tools: [look] })
    const run = await first.start(agentOf({ tools: ['look'] }), { input: HOSTILE, idempotencyKey: 'order-1' })
    await within(run.settled())
    await run.message('and more', { id: 'm1' })
    await within(run.settled())
    await first.close()
    await first.thread(run.id).message('not taken yet', { id: 'm2' })
    const text = await textOf(run)
    expect(await textOf(run)).toBe(text)
    expect(text).not.toMatch(/[\u007f-\u009f\u2028-\u202e\ufeff]/)
    for (const [, into] of Object.entries(STORES)) {
      const second = runtimeFor(lookingModel(), { store: await into(), tools: [look], concurrency: 0 })
      expect(await second.import([text])).toEqual({ thread: run.id, state: 'imported' })
      const imported = second.thread(run.id)
      expect(await textOf(imported)).toBe(text)
      expect(await imported.verify()).toEqual({ thread: run.id, head: expect.any(Number), problems: [] })
      const [before, after] = [await run.info(), await imported.info()]
      expect(after).toEqual({ ...before, ...(after.timerAt === undefined ? {} : { timerAt: after.timerAt }) })
      expect(await imported.runs()).toEqual(await run.runs())
      expect(await second.import([text])).toEqual({ thread: run.id, state: 'repeated' })
    }
  })

  test('goes on in another store as if it had never left, and knows what it was sent before', async () => {
    const model = lookingModel()
    const first = runtimeFor(model, { store: await open(), tools: [look] })
    const run = await first.start(agentOf({ tools: ['look'] }), { input: 'go', idempotencyKey: 'order-1' })
    await within(run.settled())
    await run.message('and more', { id: 'm1' })
    await within(run.settled())
    const later = lookingModel()
    const second = runtimeFor(later, { store: await open(), tools: [look] })
    await second.import(run.export())
    const imported = second.thread(run.id)
    expect(await imported.message('and more', { id: 'm1' })).toEqual({ item: 'm1', state: 'repeated' })
    expect((await second.start(agentOf({ tools: ['look'] }), { input: 'go', idempotencyKey: 'order-1' })).created).toBe(false)
    await imported.message('one more')
    expect(await within(imported.settled())).toMatchObject({ status: 'completed' })
    expect(later.prompts[0]?.slice(0, -2)).toEqual(model.prompts.at(-1))
    expect((await imported.info()).attempt).toBe((await run.info()).attempt + 1)
  })

  test('of a run that was let go in the middle of a call is resumed elsewhere, and the call is not run twice', async () => {
    const held = latch()
    const calls: string[] = []
    const pay = toolOf(
      'pay',
      async (_input, { idempotencyKey }) => {
        calls.push(idempotencyKey)
        await held.opened
        return 'paid'
      },
      { effect: 'once' }
    )
    const answerAll = () => recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'pay' }] } : { text: 'done' }))
    const first = runtimeFor(answerAll(), { store: await open(), tools: [pay] })
    const run = await first.start(agentOf({ tools: ['pay'] }), { input: 'go' })
    await until(() => calls.length === 1)
    await first.close({ graceMs: 0 })
    const second = runtimeFor(answerAll(), { store: await open(), tools: [pay] })
    await second.import(await textOf(run))
    const imported = second.thread(run.id)
    expect(await imported.info()).toMatchObject({ row: { status: 'running' }, pending: 0 })
    await imported.resume()
    expect(await within(imported.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(await outcomesOf(imported)).toEqual(['unknown'])
    expect(calls).toHaveLength(1)
    held.open()
  })
})

describe('an imported thread', () => {
  test('gets its open wait back, which is decided there, once', async () => {
    const thread = new RecordedThread().claim()
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('pay', '{"amount":7}')], { verdicts: ['hold'] }))
    const paid: unknown[] = []
    const tools = ['look', 'put', 'wire', 'scan', 'move', 'charge', 'ship'].map((name) => toolOf(name, () => name))
    const pay = toolOf('pay', (input) => paid.push(input), { effect: 'once' })
    const model = recordingModel(() => ({ text: 'thanks' }))
    const runtime = runtimeFor(model, { tools: [...tools, pay], models: () => model })
    await runtime.import([thread.export()])
    const [wait, ...others] = (await runtime.waits()).items
    expect(others).toEqual([])
    expect(wait).toMatchObject({ kind: 'approval', subject: { tool: 'pay', arguments: { amount: 7 } }, state: 'open', needed: 1 })
    const handle = runtime.thread('thr_1')
    expect(await within(handle.settled())).toMatchObject({ status: 'waiting', waits: [{ id: wait?.id }] })
    const ann = { kind: 'person', id: 'ann' } as const
    expect(await runtime.store.decide(wait?.id ?? '', 'approve', ann)).toMatchObject({ state: 'accepted' })
    const decided = await textOf(handle)
    await handle.resume()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'thanks' })
    expect(paid).toEqual([{ amount: 7 }])
    // A decision that had not been read when the thread was exported is one in the other store.
    const other = memoryStore()
    await runtimeFor(model, { store: other }).import([decided])
    expect(await other.decide(wait?.id ?? '', 'approve', ann)).toMatchObject({ state: 'repeated' })
    expect(await other.decide(wait?.id ?? '', 'deny', ann)).toMatchObject({ state: 'conflict', recorded: 'approve' })
    // So is one that had been.
    const third = memoryStore()
    await runtimeFor(model, { store: third }).import(handle.export())
    expect(await third.decide(wait?.id ?? '', 'deny', ann)).toMatchObject({ state: 'conflict', recorded: 'approve' })
    expect(await factsOfType(handle, 'call.settled')).toMatchObject([{ outcome: 'ok' }])
  })

  test('is refused when another thread has its id or its key, and that one is left as it is', async () => {
    const model = recordingModel(() => ({ text: 'done' }))
    const first = runtimeFor(model)
    const run = await first.start(agentOf(), { input: 'go', idempotencyKey: 'key' })
    await within(run.settled())
    const text = await textOf(run)
    const second = runtimeFor(model)
    const rival = await second.start(agentOf(), { input: 'something else', idempotencyKey: 'key' })
    await within(rival.settled())
    const before = await textOf(rival)
    await expect(second.import([text])).rejects.toMatchObject({ code: 'conflict' })
    expect(await textOf(rival)).toBe(before)
  })

  // I1
  test('of any log that the heart writes has the rows that its export had, and exports to the same bytes', async () => {
    const publication = digested(publicationOf(undefined, { maxTurns: 4, maxParallelCalls: 2, maxRepeatedCalls: 3, maxRetries: 1 }))
    const { numRuns, ...seed } = propertyShare()
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 30, size: 'max' }), async (steps) => {
      const thread = new RecordedThread(publication).claim()
      for (const step of steps) play(thread, step)
      const text = thread.export()
      const runtime: Runtime = runtimeFor(
        recordingModel(() => ({ text: 'done' })),
        { concurrency: 0 }
      )
      await runtime.import([text])
      const imported = runtime.thread('thr_1')
      expect(await textOf(imported)).toBe(text)
      expect((await imported.verify()).problems).toEqual([])
      const open = [...thread.state.waits.keys()]
      expect((await runtime.waits({ thread: 'thr_1' })).items.map((wait) => wait.id)).toEqual(open)
    })
    await fc.assert(property, { ...seed, numRuns: Math.ceil(numRuns / 5) })
  })
})
