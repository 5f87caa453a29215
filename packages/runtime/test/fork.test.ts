import { describe, expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { Tool } from '../src/contracts/tool.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { answer, callPart, gated, result } from './model/outcomes.ts'
import { RecordedThread } from './model/recorded-thread.ts'
import { paidThread, paying, till } from './fork-kit.ts'
import {
  agentOf,
  factsOfType,
  latch,
  outcomesOf,
  recordingModel,
  resultsIn,
  runtimeFor,
  sqlite,
  toolOf,
  until,
  userTexts
} from './runtime-kit.ts'

const STORES: readonly (readonly [string, () => Promise<Store>])[] = [
  ['memory', async () => memoryStore()],
  ['SQLite', sqlite]
]

async function digestsOf(handle: Pick<ReturnType<Runtime['thread']>, 'log'>): Promise<readonly string[]> {
  return (await handle.log(1, 8_000_000)).map((commit) => commit.digest)
}

async function linesOf(lines: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const line of lines) text += line
  return text
}

describe.each(STORES)('a fork in %s', (_, open) => {
  test('copies commits as they are, goes on with a message, and leaves the other thread alone', async () => {
    const { keys, runtime, run } = await paidThread({ store: await open() })
    const before = await digestsOf(run)
    const fork = await runtime.fork(run.thread, { change: { message: 'pay again' } })
    expect(fork).toMatchObject({ from: run.thread, at: before.length, created: true, calls: [], ran: [] })
    expect(await fork.settled()).toMatchObject({ status: 'completed' })
    expect((await digestsOf(fork)).slice(0, before.length)).toEqual(before)
    expect(await digestsOf(run)).toEqual(before)
    expect(keys).toEqual([expect.stringContaining(run.thread), expect.stringContaining(fork.thread)])
    expect(await fork.runs()).toHaveLength(2)
    expect((await fork.verify()).problems).toEqual([])
    expect((await run.verify()).problems).toEqual([])
    expect((await runtime.threads({ labels: { team: 'blue' } })).items.map(({ id }) => id).sort()).toEqual([run.thread, fork.thread].sort())
  })

  test('at a turn asks the model anew and does nothing that was done', async () => {
    const { keys, runtime, run, model } = await paidThread({ store: await open() })
    expect(keys).toHaveLength(1)
    const fork = await runtime.fork(run.thread, { at: { turn: 2 } })
    expect(await fork.settled()).toMatchObject({ status: 'completed', run: run.run })
    expect(keys).toHaveLength(1)
    expect(model.prompts.at(-1)).toEqual(model.prompts.at(-2))
    expect((await factsOfType(fork, 'model.failed')).map((fact) => fact.why)).toEqual(['lost'])
  })

  test('made twice with one key is one, also when the other thread has gone on; with other content it is refused', async () => {
    const { runtime, run } = await paidThread({ store: await open() })
    const options = { change: { message: 'more' }, idempotencyKey: 'k' }
    const fork = await runtime.fork(run.thread, options)
    await fork.settled()
    await run.message('later')
    await run.settled()
    const again = await runtime.fork(run.thread, options)
    expect(again).toMatchObject({ thread: fork.thread, at: fork.at, created: false })
    expect((await runtime.threads()).items).toHaveLength(2)
    await expect(runtime.fork(run.thread, { ...options, change: { message: 'other' } })).rejects.toMatchObject({ code: 'conflict' })
    await expect(runtime.start(agentOf(), { input: 'x', idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('can be forked, exported and imported like any thread', async () => {
    const { runtime, run } = await paidThread({ store: await open() })
    const publication = await runtime.publish(agentOf({ name: 'second', systemPrompt: 'Be brief.', tools: ['pay'] }))
    const fork = await runtime.fork(run.thread, { at: { turn: 2 }, change: { publication: publication.digest } })
    await fork.settled()
    const second = await runtime.fork(fork.thread, { change: { message: 'once more' } })
    await second.settled()
    expect((await second.publication()).digest).toBe(publication.digest)
    const elsewhere = runtimeFor(paying(), { store: await open(), concurrency: 0 })
    const text = await linesOf(second.export())
    expect(await elsewhere.import([text])).toEqual({ thread: second.thread, state: 'imported' })
    expect(await linesOf(elsewhere.thread(second.thread).export())).toBe(text)
    expect((await elsewhere.thread(second.thread).verify()).problems).toEqual([])
    expect((await elsewhere.thread(second.thread).prompt(1)).request.prompt).toEqual((await second.prompt(1)).request.prompt)
  })
})

describe('the place of a fork', () => {
  test('before the first run begins it again, with what it was started with or with another message', async () => {
    const model = recordingModel(({ prompt }) => ({ text: `${JSON.stringify(prompt[0])} ${userTexts(prompt).join('|')}` }))
    const runtime = runtimeFor(model)
    const agent = agentOf({ systemPrompt: 'For {{ who }}.', variables: [{ key: 'who', type: 'string', requiresOverride: true }] })
    const run = await runtime.start(agent, { input: 'one', variables: { who: 'Ann' } })
    const first = await run.settled()
    const same = await runtime.fork(run.thread, { at: 1 })
    expect(await same.settled()).toMatchObject({ text: first.text, run: run.run })
    const other = await runtime.fork(run.thread, { at: 1, change: { message: 'two' } })
    expect((await other.settled()).text).toBe(first.text?.replace('one', 'two'))
    expect((await same.verify()).problems).toEqual([])
  })

  test.each([[0], [-1], [1.5], [99], [{ turn: 9 }], [{ turn: 0 }], [{ turn: 'run_x//1' }]])('%j is refused', async (at) => {
    const { runtime, run } = await paidThread()
    await expect(runtime.fork(run.thread, { at })).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await runtime.threads()).items).toHaveLength(1)
  })

  test('in a thread of another tenant, or in none, is not found', async () => {
    const { runtime, run } = await paidThread()
    const stranger = runtimeFor(paying(), { store: runtime.store, tenant: 'other' })
    await expect(stranger.fork(run.thread)).rejects.toMatchObject({ code: 'thread_not_found' })
    await expect(runtime.fork('thr_none')).rejects.toMatchObject({ code: 'thread_not_found' })
  })
})

describe('a call that was begun', () => {
  test('takes the settlement that came later, marked as copied, and is not run again', async () => {
    const { keys, runtime, run } = await paidThread()
    const started = (await run.log()).find(({ facts }) => facts.some((fact) => fact.type === 'call.started'))
    const fork = await runtime.fork(run.thread, { at: started?.sequence ?? 0 })
    const [call] = await factsOfType(fork, 'call.settled')
    expect(call).toMatchObject({ outcome: 'ok', copied: true, result: { inline: { value: 'paid' } } })
    expect(fork.calls).toEqual([{ call: call?.call, outcome: 'ok' }])
    expect(await fork.settled()).toMatchObject({ status: 'completed' })
    expect(keys).toHaveLength(1)
  })

  test('and has not ended anywhere is unknown in the fork, and goes on in the other thread', async () => {
    const { open, opened } = latch()
    const { tool, keys } = till(() => opened.then(() => 'paid'))
    const model = paying()
    const runtime = runtimeFor(model, { tools: [tool] })
    const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay' })
    await until(() => keys.length === 1)
    const fork = await runtime.fork(run.thread)
    expect(await fork.settled()).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(fork)).toEqual(['unknown'])
    open()
    await run.settled()
    expect(await outcomesOf(run)).toEqual(['ok'])
    expect(keys).toHaveLength(1)
  })

  test('after the place, in a turn of calls one by one, takes its settlement, too', async () => {
    const { tool, keys } = till()
    const single = { ...tool, parallelSafe: false } as Tool<never>
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'pay' }, { name: 'pay' }] } : { text: 'done' }))
    const runtime = runtimeFor(model, { tools: [single] })
    const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay' })
    await run.settled()
    const responded = (await run.log()).find(({ facts }) => facts.some((fact) => fact.type === 'model.responded'))
    const fork = await runtime.fork(run.thread, { at: responded?.sequence ?? 0 })
    await fork.settled()
    expect(fork.calls).toHaveLength(2)
    expect(keys).toHaveLength(2)
  })
})

describe('a call that waits for a decision', () => {
  async function held() {
    const thread = new RecordedThread().claim()
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look'), callPart('pay')], { verdicts: ['run', 'hold'] }))
    thread.commit(result(thread.state, 0))
    thread.decide(1, 'approve')
    thread.commit()
    thread.commit(gated(thread.state, 'run_0//1.1', 'run', 'pay'))
    thread.commit(result(thread.state, 1))
    const paid: string[] = []
    const tools = ['look', 'put', 'pay', 'wire', 'scan', 'move', 'charge', 'ship'].map((name) =>
      toolOf(name, (_input, context) => void paid.push(context.call), { effect: name === 'pay' ? 'once' : 'read' })
    )
    const model = recordingModel(() => ({ text: 'done' }))
    const runtime = runtimeFor(model, { tools, models: { 'fake/one': model } })
    await runtime.import([thread.export()])
    const at = thread.log.find(({ facts }) => facts.some((fact) => fact.type === 'call.settled'))?.sequence ?? 0
    return { runtime, at, paid, model }
  }

  test('waits again under a new id, whatever was decided since, and what is decided here holds here', async () => {
    const { runtime, at, paid, model } = await held()
    const fork = await runtime.fork('thr_1', { at })
    expect(await fork.settled()).toMatchObject({ status: 'waiting' })
    const { items } = await runtime.waits()
    expect(items).toMatchObject([{ thread: fork.thread, kind: 'approval', state: 'open' }])
    const wait = items[0]?.id ?? ''
    expect(wait.startsWith(`${fork.thread}:`)).toBe(true)
    expect(fork.ran).toEqual(['run_0//1.1'])
    expect((await fork.verify()).problems).toEqual([])
    await runtime.store.decide(wait, { decision: 'deny', reason: 'too much' }, { kind: 'person', id: 'ann' })
    await fork.resume()
    expect(await fork.settled()).toMatchObject({ status: 'completed' })
    expect([...resultsIn(model.prompts.at(-1)).values()].at(-1)).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('too much')
    })
    expect(paid).toEqual([])
  })

  test('that a person approved there can be refused here, and approved here once more', async () => {
    const keys: string[] = []
    const pay = toolOf('pay', (_input, { idempotencyKey }) => void keys.push(idempotencyKey), { approval: true })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'pay' }] } : { text: 'done' }))
    const runtime = runtimeFor(model, { tools: [pay] })
    const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay' })
    const { waits } = await run.settled()
    const at = (await run.info()).head
    await runtime.approve(waits[0]?.id ?? '', { remember: 'thread' })
    expect((await run.settled()).status).toBe('completed')
    const refused = await runtime.fork(run.thread, { at })
    const second = await refused.settled()
    expect(second).toMatchObject({ status: 'waiting', waits: [{ kind: 'approval' }] })
    await runtime.deny(second.waits[0]?.id ?? '', { reason: 'no' })
    expect((await refused.settled()).status).toBe('completed')
    expect(await outcomesOf(refused)).toEqual(['denied'])
    expect(keys).toHaveLength(1)
    const approved = await runtime.fork(run.thread, { at })
    expect(approved.ran).toHaveLength(1)
    await runtime.approve((await approved.settled()).waits[0]?.id ?? '')
    expect((await approved.settled()).status).toBe('completed')
    expect(keys.map((key) => key.slice(0, key.indexOf(':')))).toEqual([run.thread, approved.thread])
    // What was remembered there holds there.
    const later = await runtime.fork(run.thread, { at: 1 })
    expect((await later.settled()).status).toBe('waiting')
    for (const thread of [refused, approved, later]) expect((await thread.verify()).problems).toEqual([])
  })

  // I5, I6, I8
  test('and was approved there and has not begun waits again here', async () => {
    const keys: string[] = []
    const work = latch<void>()
    const busy = toolOf('busy', () => work.opened, { parallelSafe: false })
    const pay = toolOf('pay', (_input, { idempotencyKey }) => void keys.push(idempotencyKey), { approval: true })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'busy' }, { name: 'pay' }] } : { text: 'done' }))
    const runtime = runtimeFor(model, { tools: [busy, pay] })
    const run = await runtime.start(agentOf({ tools: ['busy', 'pay'] }), { input: 'pay' })
    await until(async () => (await runtime.waits()).items.length === 1)
    await runtime.approve((await runtime.waits()).items[0]?.id ?? '')
    await until(async () => (await factsOfType(run, 'call.gated')).length === 3)
    const fork = await runtime.fork(run.thread)
    const { waits } = await fork.settled()
    expect(waits).toMatchObject([{ kind: 'approval', thread: fork.thread, subject: { tool: 'pay', asks: ['tool'] } }])
    work.open()
    expect((await run.settled()).status).toBe('completed')
    expect(keys.map((key) => key.slice(0, key.indexOf(':')))).toEqual([run.thread])
    await runtime.approve(waits[0]?.id ?? '')
    expect((await fork.settled()).status).toBe('completed')
    expect(keys.map((key) => key.slice(0, key.indexOf(':')))).toEqual([run.thread, fork.thread])
    expect((await fork.verify()).problems).toEqual([])
  })

  test('keeps its turn open under another publication with the same tool, and loses its run under one without', async () => {
    const { runtime, at } = await held()
    const { definition } = await runtime.thread('thr_1').publication()
    const tools = definition.tools.filter((tool) => tool.name !== 'task_complete').map((tool) => tool.name)
    const same = await runtime.fork('thr_1', { at, change: { model: { provider: 'fake', model: 'one', settings: { temperature: 0 } } } })
    expect(await same.settled()).toMatchObject({ status: 'waiting', run: 'run_0' })
    const without = await runtime.publish({ name: 'clerk', model: definition.model, tools: tools.filter((name) => name !== 'pay') })
    const fork = await runtime.fork('thr_1', { at, change: { publication: without.digest } })
    expect(await fork.settled()).toMatchObject({ status: 'completed' })
    expect((await fork.runs()).map(({ status, why }) => [status, why])).toEqual([
      ['stopped', 'forked'],
      ['completed', undefined]
    ])
    const started = await factsOfType(fork, 'run.started')
    expect(started.at(-1)?.publication).toBe(without.digest)
    expect(await factsOfType(fork, 'thread.repinned')).toMatchObject([{ publication: without.digest, by: 'fork' }])
    expect((await fork.verify()).problems).toEqual([])
  })
})
