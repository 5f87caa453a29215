import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { RecordSink } from '../src/contracts/record-sink.ts'
import type { TurnRecord } from '../src/contracts/turn-record.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { jsonlRecords, toRecordLine } from '../src/telemetry/jsonl-records.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import { paidThread, paying, till } from './fork-kit.ts'
import { answer, callPart, result, textPart } from './model/outcomes.ts'
import { RecordedThread } from './model/recorded-thread.ts'
import { agentOf, factsOfType, folder, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

async function recordsOf(thread: Pick<ThreadHandle, 'records'>): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = []
  for await (const record of thread.records()) records.push(record)
  return records
}

const textOf = (records: readonly TurnRecord[]): string => records.map(toRecordLine).join('')

/** A sink in memory, which fails as often as it is told. */
function listSink(failures = 0): RecordSink & { readonly records: TurnRecord[] } {
  const records: TurnRecord[] = []
  let left = failures
  return {
    name: 'list',
    batchMs: 1,
    records,
    write(batch) {
      if (left-- > 0) throw new Error('full')
      records.push(...batch)
    }
  }
}

describe('the records of a thread', () => {
  test('tell of every turn that is over: what was asked, answered, called, decided and paid', async () => {
    const { runtime, run } = await paidThread({ prices: { main: { input: 1, output: 2 } } })
    const { digest } = await run.publication()
    const [first, last, ...rest] = await recordsOf(run)
    expect(rest).toEqual([])
    const [responded] = await factsOfType(run, 'model.responded')
    expect(first).toEqual({
      record: 1,
      thread: run.thread,
      run: run.run,
      scope: '',
      turn: `${run.run}//1`,
      from: { sequence: 2, index: expect.any(Number) },
      to: { sequence: 4, index: expect.any(Number) },
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
      prompt: { publication: digest, model: 'main', try: 1 },
      failures: [],
      answer: { parts: responded?.parts, finish: responded?.finish, model: responded?.model },
      calls: [
        {
          call: `${run.run}//1.0`,
          tool: 'pay',
          verdict: 'run',
          by: 'schema',
          arguments: { inline: { answers: 0 } },
          effect: 'once',
          starts: 1,
          waits: [],
          outcome: 'ok',
          result: { inline: { value: 'paid' } }
        }
      ],
      usage: responded?.usage,
      cost: responded?.cost
    })
    expect(last).toMatchObject({ turn: `${run.run}//2`, calls: [], end: { status: 'completed', output: { inline: expect.any(String) } } })
    const { row } = await run.info()
    expect((first?.usage.inputTokens ?? 0) + (last?.usage.inputTokens ?? 0)).toBe(row.usage.inputTokens)
    await runtime.close()
  })

  test('are the same bytes each time, in another process and after an import elsewhere', async () => {
    const path = join(await folder(), 'records.db')
    await using store = await sqliteStore(path, { durability: 'process' })
    const { run, runtime } = await paidThread({ store })
    const text = textOf(await recordsOf(run))
    await using again = await sqliteStore(path)
    const looking = runtimeFor(paying(), { store: again, concurrency: 0 })
    expect(textOf(await recordsOf(looking.thread(run.thread)))).toBe(text)
    const lines: string[] = []
    for await (const line of run.export()) lines.push(line)
    const elsewhere = runtimeFor(paying(), { store: memoryStore(), concurrency: 0 })
    await elsewhere.import(lines)
    expect(textOf(await recordsOf(elsewhere.thread(run.thread)))).toBe(text)
    await runtime.close()
  })

  test('tell of waits and who decided, of tries that failed, and of no turn that is open', async () => {
    const thread = new RecordedThread().claim()
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look'), callPart('pay')], { verdicts: ['run', 'hold'] }))
    thread.commit(result(thread.state, 0))
    thread.decide(1, { decision: 'deny', reason: 'too much' })
    thread.commit()
    const runtime = runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { concurrency: 0 }
    )
    await runtime.import([thread.export()])
    const [first, ...others] = await recordsOf(runtime.thread('thr_1'))
    expect(others).toEqual([])
    expect(first?.calls.map(({ tool, verdict, starts, outcome }) => [tool, verdict, starts, outcome])).toEqual([
      ['look', 'run', 1, 'ok'],
      ['pay', 'hold', 0, 'denied']
    ])
    expect(first?.calls[1]?.waits).toMatchObject([
      { kind: 'approval', as: 'decided', decision: { decision: 'deny', reason: 'too much' }, decidedBy: { kind: 'person', id: 'ann' } }
    ])
    thread.claim().commit(...[])
    thread.commit(...answer(thread.state, [textPart('done')]))
    const later = runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { concurrency: 0 }
    )
    await later.import([thread.export()])
    const [, second] = await recordsOf(later.thread('thr_1'))
    expect(second).toMatchObject({ failures: [{ try: 1, why: 'lost' }], prompt: { try: 2 }, end: { status: 'completed' } })
  })

  test('of a fork are its own turns; the one that was open there is paid from the fork on', async () => {
    const { runtime, run } = await paidThread()
    const started = (await run.log()).find(({ facts }) => facts.some((fact) => fact.type === 'call.started'))
    const fork = await runtime.fork(run.thread, { at: started?.sequence ?? 0 })
    await fork.settled()
    const records = await recordsOf(fork)
    expect(records.map(({ turn, copied }) => [turn, copied])).toEqual([
      [`${run.run}//1`, true],
      [`${run.run}//2`, undefined]
    ])
    expect(records[0]).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 }, cost: 0, calls: [{ outcome: 'ok', copied: true }] })
    const { usage } = (await fork.info()).row
    expect(records.reduce((sum, each) => sum + each.usage.outputTokens, 0)).toBe(usage.outputTokens)
  })
})

describe('a sink of records', () => {
  test('is given what the log gives, also when it fails at first', async () => {
    const sink = listSink(2)
    const { runtime, run } = await paidThread({ records: [sink] })
    await run.message('again')
    await run.settled()
    await until(() => sink.records.length === 4)
    await within(runtime.close())
    expect(textOf(sink.records)).toBe(textOf(await recordsOf(run)))
    expect(sink.records).toHaveLength(4)
  })

  test('is given what the log has of large bodies', async () => {
    const sink = listSink()
    const { tool } = till(() => 'x'.repeat(90_000))
    const runtime = runtimeFor(
      recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'pay' }] } : { text: 'done' })),
      { tools: [tool], records: [sink] }
    )
    const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay' })
    await run.settled()
    await runtime.close()
    expect(textOf(sink.records)).toBe(textOf(await recordsOf(run)))
    expect(sink.records[0]?.calls[0]?.result).toMatchObject({ artifact: expect.any(String), bytes: expect.any(Number) })
  })

  test('that never takes anything stops nothing', async () => {
    const { runtime, run } = await paidThread({ records: [listSink(Number.POSITIVE_INFINITY)] })
    expect((await run.info()).row.status).toBe('completed')
    await within(runtime.close())
  })

  test('hears of a turn that another process began, whole, and of none that was over', async () => {
    const store = memoryStore()
    let calls = 0
    const first = runtimeFor(
      recordingModel(({ answers }) => (answers < 2 ? { toolCalls: [{ name: 'slow', arguments: { answers } }] } : { text: 'done' })),
      { store, tools: [toolOf('slow', () => (++calls === 2 ? new Promise(() => {}) : 'ok'), { effect: 'read' })], records: [listSink()] }
    )
    const run = await first.start(agentOf({ tools: ['slow'] }), { input: 'go' })
    while (calls < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await first.close({ graceMs: 0 })
    const sink = listSink()
    const second = runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { store, tools: [toolOf('slow', () => 'ok', { effect: 'read' })], records: [sink] }
    )
    const handle = second.thread(run.thread)
    await handle.resume()
    await handle.settled()
    await second.close()
    const all = await recordsOf(handle)
    expect(all).toHaveLength(3)
    expect(textOf(sink.records)).toBe(textOf(all.slice(1)))
  })

  test('reads the log again when the store fails it', async () => {
    const inner = memoryStore()
    const run = await (async () => {
      const runtime = runtimeFor(paying(), { store: inner, tools: [till().tool] })
      const started = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'pay' })
      await started.settled()
      await runtime.close()
      return started
    })()
    let failed = 0
    const store = faultyStore(inner, { failRead: ({ method }) => (method === 'runs' && failed++ < 2 ? 'before' : null) })
    const sink = listSink()
    const runtime = runtimeFor(paying(), { store, tools: [till().tool], records: [sink] })
    await runtime.thread(run.thread).message('again')
    await runtime.thread(run.thread).settled()
    await until(() => sink.records.length === 2)
    expect(failed).toBeGreaterThan(1)
  })

  test('in a file is a line for each turn, and without secrets', async () => {
    const path = join(await folder(), 'records.jsonl')
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'very-secret-value')
    const { tool } = till(() => 'paid with very-secret-value')
    const runtime = runtimeFor(paying(), { tools: [tool], secrets, records: [jsonlRecords(path, { batchMs: 1 })] })
    const run = await runtime.start(agentOf({ tools: ['pay'] }), { input: 'use very-secret-value' })
    await run.settled()
    await runtime.close()
    const text = await readFile(path, 'utf8')
    expect(text).toBe(textOf(await recordsOf(run)))
    expect(text).not.toContain('very-secret-value')
    expect(text.trimEnd().split('\n')).toHaveLength(2)
  })
})
