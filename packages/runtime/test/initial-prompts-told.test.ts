import { describe, expect, test } from 'vitest'
import type { TurnRecord } from '../src/contracts/turn-record.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import { BEFORE_CALLS } from '../src/state/initial-prompts.ts'
import { look, pay } from './approval-kit.ts'
import { begin, done, LOOK, paying } from './initial-prompts-kit.ts'
import { refusalOf } from './refusal.ts'
import { factsOfType, faultOf, resultsIn, runtimeFor, userTexts, within } from './runtime-kit.ts'

async function recordsOf(thread: Pick<ThreadHandle, 'records'>): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = []
  for await (const record of thread.records()) records.push(record)
  return records
}

describe('what is told of the calls of a definition', () => {
  const prompts = [{ prompt: 'first', toolCalls: [LOOK] }, { toolCalls: [paying(3)] }, { prompt: 'left out', toolCalls: [LOOK] }]

  async function told() {
    const setting = await begin(prompts)
    const { waits } = await setting.settled()
    await setting.runtime.approve(waits[0]?.id ?? '')
    await setting.settled()
    return setting
  }

  test('is a record of turn 0, which asks no model', async () => {
    const { run } = await told()
    const [first, second, ...rest] = await recordsOf(run)
    expect(rest).toEqual([])
    expect(first).toMatchObject({ turn: `${run.run}//0`, prompt: null, answer: null, failures: [], cost: 0 })
    expect(first?.calls.map(({ tool, outcome, starts, waits }) => [tool, outcome, starts, waits.length])).toEqual([
      ['look', 'ok', 1, 0],
      ['pay', 'ok', 1, 1],
      ['look', null, 0, 0]
    ])
    const [{ prompts: injected } = { prompts: null }] = await factsOfType(run, 'prompts.injected')
    expect(first?.injected).toEqual(injected)
    expect(second).toMatchObject({ turn: `${run.run}//1`, prompt: { model: 'main', try: 1 } })
    expect(second).not.toHaveProperty('injected')
  })

  test('is the prompt of the first turn, built again; turn 0 has none', async () => {
    const { run, model } = await told()
    const { request } = await run.prompt(1)
    expect(request.prompt).toEqual(model.prompts[0])
    await refusalOf('invalid_input', () => run.prompt(0))
  })

  test('goes with an export, and is the same after an import', async () => {
    const { run, model } = await told()
    const lines: string[] = []
    for await (const piece of run.export()) lines.push(piece)
    const other = runtimeFor(model, { concurrency: 0 })
    await other.import(lines)
    const copy = other.thread(run.id)
    expect(await copy.verify()).toMatchObject({ problems: [] })
    expect((await copy.prompt(1)).request).toEqual((await run.prompt(1)).request)
    expect(await recordsOf(copy)).toEqual(await recordsOf(run))
  })

  test('goes with an export of a thread that nobody has looked at, and is done where that is imported', async () => {
    const { run } = await begin([{ prompt: 'first', toolCalls: [LOOK] }], { concurrency: 0 })
    const lines: string[] = []
    for await (const piece of run.export()) lines.push(piece)
    const model = done()
    const other = runtimeFor(model, { tools: [look, pay({ ran: [] })] })
    await other.import(lines)
    const copy = other.thread(run.id)
    await copy.resume()
    expect((await within(copy.settled())).status).toBe('completed')
    expect(userTexts(model.prompts[0])).toEqual(['first', 'the task'])
    expect(await copy.verify()).toMatchObject({ problems: [] })
  })

  test('is nothing wrong of what the store keeps', async () => {
    const { run } = await told()
    expect(await run.verify()).toMatchObject({ problems: [] })
  })
})

describe('a fork', () => {
  test('from before the first run begins with the same prompts', async () => {
    const { model, runtime, run, settled } = await begin([{ prompt: 'first', toolCalls: [LOOK] }])
    await settled()
    const fork = await runtime.fork(run.id, { at: 1 })
    await within(fork.settled())
    expect(model.prompts[1]).toEqual(model.prompts[0])
    const changed = await runtime.fork(run.id, { at: 1, change: { message: 'another task' } })
    await within(changed.settled())
    expect(userTexts(model.prompts[2])).toEqual(['first', 'another task'])
  })

  test('in the middle of turn 0 runs nothing again, and goes on with what is left', async () => {
    const { ledger, model, runtime, run, settled } = await begin([{ toolCalls: [paying(1)] }, { prompt: 'then', toolCalls: [paying(2)] }], {
      approval: false
    })
    await settled()
    const [start] = (await run.log()).filter(({ facts }) => facts.some(({ type }) => type === 'call.started'))
    const fork = await runtime.fork(run.id, { at: start?.sequence ?? 0 })
    expect(fork.calls).toEqual([{ call: `${run.run}//0.0`, outcome: 'ok' }])
    expect((await within(fork.settled())).status).toBe('completed')
    expect(ledger.ran.map(({ input }) => input)).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 2 }])
    expect(userTexts(model.prompts[1])).toEqual([BEFORE_CALLS, 'then', 'the task'])
    const place = (await run.log()).findIndex(({ facts }) => facts.some(({ type }) => type === 'prompts.injected')) + 1
    expect((await runtime.fork(run.id, { at: { turn: `${run.run}//0` } })).at).toBe(place)
    expect((await runtime.fork(run.id, { at: { turn: 0 } })).at).toBe(place)
  })

  test('under another model ends the run in which calls of turn 0 are open, leaves out the rest and asks with the task', async () => {
    const { ledger, model, runtime, run, settled } = await begin(
      [{ toolCalls: [paying(1)] }, { toolCalls: [paying(2)] }, { prompt: 'left out', toolCalls: [paying(3)] }],
      { approval: false, models: { main: done(), other: done() } }
    )
    await settled()
    const [start] = (await run.log()).filter(({ facts }) => facts.some(({ type }) => type === 'call.started'))
    const fork = await runtime.fork(run.id, { at: start?.sequence ?? 0, change: { model: { ref: 'other' } } })
    expect(await within(fork.settled())).toMatchObject({ status: 'completed', text: 'done' })
    expect(ledger.ran).toHaveLength(3)
    expect(model.prompts).toEqual([])
    expect((await factsOfType(fork, 'call.settled')).map(({ outcome }) => outcome)).toEqual(['ok', 'cancelled'])
    const { request } = await fork.prompt(1)
    expect(userTexts(request.prompt)).toEqual([BEFORE_CALLS, 'the task'])
    expect(faultOf(request.prompt)).toBeNull()
  })

  test('where a call of turn 0 waits asks again under its own id', async () => {
    const { ledger, runtime, run, settled } = await begin([{ toolCalls: [paying(1)] }, { prompt: 'left out' }])
    await settled()
    const fork = await runtime.fork(run.id)
    const { waits } = await within(fork.settled())
    expect(waits.map(({ id }) => id)).toEqual([expect.stringMatching(new RegExp(`^${fork.id}:${run.run}//0.0:approval:`))])
    await runtime.approve(waits[0]?.id ?? '')
    expect((await within(fork.settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
    expect((await settled()).status).toBe('waiting')
  })

  test('gives other results to the last calls of turn 0, and to no earlier ones', async () => {
    const { model, runtime, run, settled } = await begin([{ toolCalls: [LOOK] }, { toolCalls: [LOOK, LOOK] }])
    await settled()
    const given = { call: `${run.run}//0.2`, result: { value: 'something else' } }
    const fork = await runtime.fork(run.id, { change: { callResult: given } })
    await within(fork.settled())
    expect([...resultsIn(model.prompts[1]).values()].map(({ value }) => value)).toEqual(['seen', 'seen', 'something else'])
    const early = { ...given, call: `${run.run}//0.0` }
    await refusalOf('invalid_input', () => runtime.fork(run.id, { change: { callResult: early } }))
  })
})
