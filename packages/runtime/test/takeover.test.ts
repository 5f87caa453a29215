import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { heldTool, holding } from './held-kit.ts'
import { agentOf, factsOfType, latch, outcomesOf, recordingModel, resultsIn, runThrough, runtimeFor, until, within } from './runtime-kit.ts'

describe('a thread that a live runtime drives', () => {
  test('is refused to another, which names the owner', async () => {
    // B045
    const store = memoryStore()
    const { begun, end, tool } = heldTool()
    const handle = await runtimeFor(holding(), { store }).start(agentOf({ tools: [tool] }), { input: 'go' })
    await within(begun)
    const other = runtimeFor(holding(), { store, tools: [tool] }).thread(handle.id)
    const { owner } = await handle.info()
    await expect(other.resume()).rejects.toMatchObject({
      code: 'thread_busy',
      details: { worker: owner?.worker, leaseUntil: owner?.leaseUntil }
    })
    end.resolve('over')
    expect(await within(other.settled())).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(handle)).toEqual(['ok'])
  })

  test('is taken over by the explicit word: the old owner stops its tool, drops its result and follows', async () => {
    // B046
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { begun, end, tool } = heldTool()
    const first = holding()
    const handle = await runtimeFor(first, { store, clock }).start(agentOf({ tools: [tool] }), { input: 'go' })
    const signal = await within(begun)
    const model = holding()
    const other = runtimeFor(model, { store, clock, tools: [tool] }).thread(handle.id)
    await other.resume({ takeover: true })
    expect(await within(other.settled())).toMatchObject({ status: 'completed' })
    await clock.advance(1_000)
    expect(signal.aborted).toBe(true)
    end.resolve('late')
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(handle)).toEqual(['unknown'])
    expect([...resultsIn(model.prompts[0]).values()]).toMatchObject([{ type: 'error-text' }])
    expect(first.prompts).toHaveLength(1)
    expect((await factsOfType(handle, 'attempt.claimed')).map((fact) => fact.why)).toEqual(['items', 'takeover'])
  })

  test('gives nothing of the new owner where only what was done here is an answer', async () => {
    // B046
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { begun, tool } = heldTool()
    const handle = await runtimeFor(holding(), { store, clock }).start(agentOf({ tools: [tool] }), { input: 'go' })
    await within(begun)
    const gate = latch()
    const model = recordingModel(() => gate.opened.then(() => ({ text: 'theirs' })))
    const other = runtimeFor(model, { store, clock, tools: [tool] }).thread(handle.id)
    await other.resume({ takeover: true })
    const { owner } = await handle.info()
    const taken = { code: 'thread_taken', details: { thread: handle.id, worker: owner?.worker } }
    await expect(runThrough(clock, handle.settled({ here: true }))).rejects.toMatchObject(taken)
    gate.open()
    expect(await runThrough(clock, other.settled({ here: true }))).toMatchObject({ text: 'theirs' })
    await expect(runThrough(clock, handle.settled({ here: true }))).rejects.toMatchObject(taken)
    // What is begun here after that is ours.
    await handle.message('And now?')
    expect(await runThrough(clock, handle.settled({ here: true }))).toMatchObject({ status: 'completed' })
  })

  test('is resumed where it is driven without any effect', async () => {
    const { begun, end, tool } = heldTool()
    const handle = await runtimeFor(holding()).start(agentOf({ tools: [tool] }), { input: 'go' })
    await within(begun)
    await handle.resume()
    await handle.resume({ takeover: true })
    end.resolve('over')
    await within(handle.settled())
    expect(await factsOfType(handle, 'attempt.claimed')).toHaveLength(1)
  })

  test('is found by another runtime once it is released in the middle of a run', async () => {
    const store = memoryStore()
    const gate = latch()
    const model = recordingModel(async ({ request }) => {
      if (request === 1) await gate.opened
      return { text: `answer ${request}` }
    })
    const runtime = runtimeFor(model, { store })
    const handle = await runtime.start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    await within(runtime.close({ graceMs: 0 }))
    gate.open()
    const other = runtimeFor(model, { store, recover: true }).thread(handle.id)
    expect(await within(other.settled())).toMatchObject({ status: 'completed', text: 'answer 2' })
    expect(await factsOfType(other, 'model.failed')).toMatchObject([{ why: 'lost' }])
    // Nothing lay in its inbox and no lease ran out: whoever let go of it made it due.
    expect((await factsOfType(other, 'attempt.claimed')).map((fact) => fact.why)).toEqual(['items', 'timer'])
  })

  test('is waited for by who was not asked to drive it, and that nobody does is told', async () => {
    const store = memoryStore()
    const held = latch()
    const model = recordingModel(async ({ request }) => {
      if (request === 1) await held.opened
      return { text: `answer ${request}` }
    })
    const first = runtimeFor(model, { store })
    const { id } = await first.start(agentOf(), { input: 'go' })
    await until(() => model.prompts.length === 1)
    const warnings: unknown[] = []
    const silent = { debug: () => {}, info: () => {}, error: () => {} }
    const waiting = runtimeFor(model, { store, logger: { ...silent, warn: (_, data) => warnings.push(data) } })
    const result = waiting.thread(id).settled()
    const looker = runtimeFor(model, { store, concurrency: 0, logger: { ...silent, warn: (_, data) => warnings.push({ looker: data }) } })
    const seen = looker.thread(id).settled()
    await within(first.close({ graceMs: 0 }))
    held.open()
    await until(() => warnings.length > 0)
    // Who comes later is not missed.
    await runtimeFor(model, { store }).thread(id).resume()
    expect(await within(result)).toMatchObject({ status: 'completed', text: 'answer 2' })
    expect(await within(seen)).toMatchObject({ status: 'completed' })
    expect(warnings).toEqual([{ thread: id, status: 'running' }])
  })

  test('is told of as a warning of the process where there is no logger', async () => {
    const store = memoryStore()
    const { id } = await runtimeFor(holding(), { store, concurrency: 0 }).start(agentOf(), { input: 'go' })
    const warned = Promise.withResolvers<Error>()
    const listen = (warning: Error): void => {
      if (warning.name === 'HoldfastWarning' && warning.message.includes(id)) warned.resolve(warning)
    }
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))
    const other = runtimeFor(holding(), { store }).thread(id)
    const stop = new AbortController()
    const result = other.settled({ signal: stop.signal })
    result.catch(() => {})
    expect(await within(warned.promise)).toBeInstanceOf(Error)
    stop.abort()
    await expect(result).rejects.toThrow()
  })

  test('is not driven where its tools are missing, and says which', async () => {
    const store = memoryStore()
    const { begun, tool } = heldTool()
    const runtime = runtimeFor(holding(), { store })
    const handle = await runtime.start(agentOf({ tools: [tool] }), { input: 'go' })
    await within(begun)
    await within(runtime.close({ graceMs: 0 }))
    const other = runtimeFor(holding(), { store }).thread(handle.id)
    const refusal = { code: 'thread_unplaceable', details: { missing: ['tool:hold'] } }
    await expect(other.resume()).rejects.toMatchObject(refusal)
    await expect(within(other.settled())).rejects.toMatchObject(refusal)
  })
})

describe('a run that rests until a point in time', () => {
  const patient = () =>
    recordingModel(({ answers, request }) =>
      answers === 0 && request === 1 ? { error: { status: 429, retryAfter: 60 } } : { text: 'done' }
    )

  async function resting() {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const runtime = runtimeFor(patient(), { store, clock })
    const { id } = await runtime.start(agentOf(), { input: 'go', idempotencyKey: 'k' })
    await until(async () => (await runtime.thread(id).info()).timerAt !== undefined && !(await runtime.thread(id).info()).owner)
    await runtime.close()
    return { clock, store, id, model: recordingModel(() => ({ text: 'done' })) }
  }

  test('is gone on with by whatever worker looks then', async () => {
    const { clock, store, id, model } = await resting()
    const handle = runtimeFor(model, { store, clock, recover: true }).thread(id)
    await clock.advance(50_000)
    expect(model.prompts).toHaveLength(0)
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
  })

  test('is gone on with by a process that was asked to resume it before', async () => {
    const { clock, store, id, model } = await resting()
    const handle = runtimeFor(model, { store, clock }).thread(id)
    await handle.resume()
    await clock.advance(50_000)
    expect(model.prompts).toHaveLength(0)
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
  })

  test('is gone on with by a process that started it again under its key', async () => {
    const { clock, store, model } = await resting()
    const handle = await runtimeFor(model, { store, clock }).start(agentOf(), { input: 'go', idempotencyKey: 'k' })
    expect(handle.created).toBe(false)
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    expect(model.prompts).toHaveLength(1)
  })
})
