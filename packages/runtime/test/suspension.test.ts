import { describe, expect, test } from 'vitest'
import type { RunHandle } from '../src/contracts/thread-handle.ts'
import type { Runtime } from '../src/contracts/api.ts'
import type { SuspendedWait } from '../src/contracts/suspension.ts'
import { suspend } from '../src/contracts/suspension.ts'
import type { Tool, ToolContext } from '../src/contracts/tool.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agent, caller, runtimeOf } from './approval-kit.ts'
import { factsOfType, outcomesOf, resultsIn, runThrough, toolOf, until, userTexts, within } from './runtime-kit.ts'

const EXTERNAL: SuspendedWait = { kind: 'external', subject: { job: 'j1' }, schema: { type: 'object', required: ['pages'] } }

/** A tool that lets go once, and says what it was given. */
function scan(wait: SuspendedWait, seen: Partial<ToolContext>[] = [], more: Partial<Pick<Tool, 'effect' | 'timeoutMs'>> = {}): Tool<never> {
  const execute = (_: unknown, context: ToolContext): unknown => {
    seen.push(context)
    return context.resumed ? { got: context.resumed } : suspend({ wait, state: { job: 'j1', page: 3 } })
  }
  return toolOf('scan', execute as Tool['execute'], { effect: 'once', ...more })
}

async function waiting(runtime: Runtime): Promise<{ readonly run: RunHandle; readonly id: string; readonly subject: unknown }> {
  const run = await runtime.start(agent('scan'), { input: 'go' })
  const { status, waits } = await within(run.settled())
  expect(status).toBe('waiting')
  expect(waits).toHaveLength(1)
  return { run, id: waits[0]?.id ?? '', subject: waits[0]?.subject }
}

describe('a tool that suspends its call', () => {
  test('goes on in another process with what it kept and what was answered, as the next leg with a key of its own', async () => {
    const store = memoryStore()
    const [first, second]: ToolContext[][] = [[], []]
    const model = caller({ name: 'scan', arguments: { n: 1 } })
    const one = runtimeOf(store, { models: { main: model }, tools: [scan(EXTERNAL, first)] })
    const { run, id, subject } = await waiting(one)
    expect(id).toMatch(/:external:1$/)
    expect(subject).toMatchObject({ tool: 'scan', leg: 1, arguments: { n: 1 }, about: { job: 'j1' }, schema: EXTERNAL.schema })
    await one.close()
    const two = runtimeOf(store, { models: { main: model }, tools: [scan(EXTERNAL, second)] })
    expect(await two.decide(id, { decision: 'answer', answer: { pages: 7 } })).toMatchObject({ state: 'accepted' })
    await two.thread(run.thread).resume()
    expect((await within(two.thread(run.thread).settled())).status).toBe('completed')
    expect([first?.[0]?.leg, second?.[0]?.leg]).toEqual([1, 2])
    const key = first?.[0]?.idempotencyKey ?? ''
    expect(second?.map(({ idempotencyKey }) => idempotencyKey)).toEqual([`${key}:2`])
    const got = { state: { job: 'j1', page: 3 }, answer: { pages: 7 } }
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'json', value: { got } }])
    const starts = await factsOfType(two.thread(run.thread), 'call.started')
    expect(starts.map((fact) => [fact.try, fact.leg])).toEqual([
      [1, 1],
      [1, 2]
    ])
  })

  test('is answered only with what fits the schema, and nobody approves what is asked for', async () => {
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [scan(EXTERNAL)] })
    const { run, id } = await waiting(runtime)
    expect(await runtime.answer(id, { sheets: 7 })).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(id)).toMatchObject({ state: 'invalid' })
    expect(await runtime.answer(id, { pages: 7 })).toMatchObject({ state: 'accepted' })
    expect((await within(run.settled())).status).toBe('completed')
  })

  // B037
  test.each([
    { kind: 'approval', refusal: { decision: 'deny', reason: 'not today' } },
    { kind: 'external', refusal: { decision: 'deny', reason: 'not today' } }
  ] as const)('is not started again when its $kind is refused, and the model reads the reason', async ({ kind, refusal }) => {
    const seen: ToolContext[] = []
    const model = caller({ name: 'scan', arguments: {} })
    const runtime = runtimeOf(memoryStore(), { models: { main: model }, tools: [scan({ kind, subject: { preview: 'x' } }, seen)] })
    const { run, id } = await waiting(runtime)
    await runtime.decide(id, refusal)
    await within(run.settled())
    expect(seen).toHaveLength(1)
    expect(await outcomesOf(run)).toEqual(['denied'])
    expect([...resultsIn(model.prompts[1]).values()]).toMatchObject([{ type: 'error-text', value: expect.stringContaining('not today') }])
  })

  test('is approved as it stands: no other arguments, and nothing is remembered', async () => {
    const seen: ToolContext[] = []
    const wait: SuspendedWait = { kind: 'approval', subject: { preview: 'x' } }
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [scan(wait, seen)] })
    const { run, id } = await waiting(runtime)
    expect(await runtime.approve(id, { arguments: { n: 2 } })).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(id, { remember: 'thread' })).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(id)).toMatchObject({ state: 'accepted' })
    await within(run.settled())
    expect(seen.map(({ resumed }) => resumed?.answer)).toEqual([undefined, true])
  })

  test('asks a question that a message answers', async () => {
    const seen: ToolContext[] = []
    const wait: SuspendedWait = { kind: 'question', subject: { question: 'Which?', options: ['red', 'blue'] } }
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [scan(wait, seen)] })
    const { run } = await waiting(runtime)
    await runtime.thread(run.thread).message('Blue')
    await until(() => seen.length === 2)
    expect(seen[1]?.resumed?.answer).toBe('blue')
  })

  test.each([
    [{ kind: 'question', subject: { question: 'Which?' } } as const, 'Not completed. A person declined to answer this question: ask Bob'],
    [EXTERNAL, 'Not completed. A person refused this call: ask Bob']
  ])('is not started again when a person refuses what it waits for: $kind', async (wait, read) => {
    const seen: ToolContext[] = []
    const model = caller({ name: 'scan', arguments: {} })
    const runtime = runtimeOf(memoryStore(), { models: { main: model }, tools: [scan(wait, seen)] })
    const { run, id } = await waiting(runtime)
    expect(await runtime.deny(id, { reason: 'ask Bob' })).toMatchObject({ state: 'accepted' })
    expect((await within(run.settled())).status).toBe('completed')
    expect(seen).toHaveLength(1)
    expect([...resultsIn(model.prompts[1]).values()]).toEqual([{ type: 'error-text', value: read }])
  })

  // B031
  test('waits beside others of its kind: whoever decides about one, in whatever process, lets that one go on with what it kept', async () => {
    const store = memoryStore()
    const sent: unknown[] = []
    const execute = (input: unknown, context: ToolContext): unknown => {
      const { to } = input as { readonly to: string }
      if (!context.resumed) return suspend({ wait: { kind: 'approval', subject: { to } }, state: { draft: `for ${to}` } })
      sent.push([to, context.resumed.state])
      return 'sent'
    }
    const send = toolOf('send', execute as Tool['execute'], { effect: 'once' })
    const model = caller({ name: 'send', arguments: { to: 'one' } }, { name: 'send', arguments: { to: 'two' } })
    const options = { models: { main: model }, tools: [send] }
    const one = runtimeOf(store, options)
    const run = await one.start(agent('send'), { input: 'go' })
    const listed = (await within(run.settled())).waits
    expect(listed.map(({ subject }) => subject)).toMatchObject([{ about: { to: 'one' } }, { about: { to: 'two' } }])
    await one.close()
    const two = runtimeOf(store, options)
    expect((await two.waits()).items.map(({ id }) => id)).toEqual(listed.map(({ id }) => id))
    await two.approve(listed[1]?.id ?? '')
    await until(() => sent.length === 1)
    expect((await within(two.thread(run.thread).settled())).waits.map(({ id }) => id)).toEqual([listed[0]?.id])
    expect(sent).toEqual([['two', { draft: 'for two' }]])
    await two.approve(listed[0]?.id ?? '')
    expect((await within(two.thread(run.thread).settled())).status).toBe('completed')
    expect(sent.slice(1)).toEqual([['one', { draft: 'for one' }]])
    expect(model.prompts).toHaveLength(2)
  })

  // B040
  test('asks a question that no message answers whose time is over, also when nobody has noticed', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const seen: ToolContext[] = []
    const model = caller({ name: 'scan', arguments: {} })
    const wait: SuspendedWait = { kind: 'question', subject: { question: 'Which folder?' }, expiresInMs: 1_000 }
    const options = { clock, models: { main: model }, tools: [scan(wait, seen)] }
    const one = runtimeOf(store, options)
    const { run } = await waiting(one)
    await one.close()
    await clock.advance(1_000)
    const thread = runtimeOf(store, options).thread(run.thread)
    await thread.message('the blue one')
    expect((await within(thread.settled())).status).toBe('completed')
    expect(seen).toHaveLength(1)
    expect(await outcomesOf(thread)).toEqual(['expired'])
    expect(userTexts(model.prompts[1])).toEqual(['go', 'the blue one'])
  })

  test('expires once, by the clock of the store, and time spent suspended does not count against its deadline', async () => {
    const clock = fakeClock()
    const seen: ToolContext[] = []
    const wait: SuspendedWait = { ...EXTERNAL, expiresInMs: 3_600_000 }
    const options = { models: { main: caller({ name: 'scan', arguments: {} }) }, clock }
    const runtime = runtimeOf(memoryStore({ clock }), { ...options, tools: [scan(wait, seen, { timeoutMs: 1_000 })] })
    const run = await runtime.start(agent('scan'), { input: 'go' })
    const [open] = (await runThrough(clock, run.settled())).waits
    await runThrough(
      clock,
      run.settled().then(() => until(async () => (await outcomesOf(run)).length > 0))
    )
    expect(await outcomesOf(run)).toEqual(['expired'])
    expect(seen).toHaveLength(1)
    expect((await runtime.answer(open?.id ?? '', { pages: 1 })).state).toMatch(/closed|expired/)
  })

  // B034
  test('is cancelled while it waits, and not answered any more', async () => {
    const seen: ToolContext[] = []
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [scan(EXTERNAL, seen)] })
    const { run, id } = await waiting(runtime)
    await runtime.thread(run.thread).cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(await outcomesOf(run)).toEqual(['cancelled'])
    expect(await runtime.answer(id, { pages: 7 })).toMatchObject({ state: 'closed' })
    expect(seen).toHaveLength(1)
  })

  test.each([
    { what: 'a kind that there is not', given: { wait: { kind: 'timer', subject: {} }, state: 1 } },
    { what: 'a subject that is no object', given: { wait: { kind: 'external', subject: 'x' }, state: 1 } },
    { what: 'a question without one', given: { wait: { kind: 'question', subject: {} }, state: 1 } },
    { what: 'an expiry that is none', given: { wait: { ...EXTERNAL, expiresInMs: 0 }, state: 1 } },
    { what: 'a schema that is none', given: { wait: { ...EXTERNAL, schema: { type: 'nonsense' } }, state: 1 } },
    { what: 'a state that JSON does not hold', given: { wait: EXTERNAL, state: { seen: new Map([['a', 1]]) } } },
    { what: 'a state that is too large', given: { wait: EXTERNAL, state: 'x'.repeat(300_000) } }
  ])('is told as an error that it cannot wait with $what', async ({ given }) => {
    const tool = toolOf('scan', () => suspend(given as never))
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [tool] })
    const run = await runtime.start(agent('scan'), { input: 'go' })
    expect((await within(run.settled())).status).toBe('completed')
    expect(await outcomesOf(run)).toEqual(['error'])
  })

  test('shows what JSON does not hold of its subject as what it was', async () => {
    const tool = toolOf('scan', () => suspend({ wait: { ...EXTERNAL, subject: { prices: new Map([['a', 1]]) } as never }, state: null }))
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [tool] })
    expect((await waiting(runtime)).subject).toMatchObject({ about: { prices: [['a', 1]] } })
  })

  test('may not go on for ever', async () => {
    const tool = toolOf('scan', () => suspend({ wait: { kind: 'external', subject: {} }, state: null }))
    const runtime = runtimeOf(memoryStore(), { models: { main: caller({ name: 'scan', arguments: {} }) }, tools: [tool] })
    const run = await runtime.start(agent('scan'), { input: 'go' })
    let legs = 0
    for (let result = await within(run.settled()); result.status === 'waiting'; result = await within(run.settled())) {
      legs++
      await runtime.answer(result.waits[0]?.id ?? '', null)
      await until(async () => (await run.settled()).waits[0]?.id !== result.waits[0]?.id)
    }
    expect(legs).toBe(99)
    expect(await outcomesOf(run)).toEqual(['error'])
  })
})
