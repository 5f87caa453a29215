import { describe, expect, test } from 'vitest'
import type { EventsOptions, ThreadHandle } from '../src/contracts/thread-handle.ts'
import { HoldfastError } from '../src/contracts/errors.ts'
import type { CommittedEvent, HoldfastEvent } from '../src/contracts/event.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import {
  agentOf,
  counted,
  factsOfType,
  latch,
  recordingModel,
  runThrough,
  runtimeFor,
  sqlite,
  streamingModel,
  toolOf,
  until,
  within
} from './runtime-kit.ts'
import { finish, text } from './stream-parts.ts'

async function collect(
  handle: Pick<ThreadHandle, 'events'>,
  { see, ...options }: EventsOptions & { readonly see?: (event: HoldfastEvent) => void } = {}
): Promise<HoldfastEvent[]> {
  const events: HoldfastEvent[] = []
  for await (const event of handle.events(options)) {
    events.push(event)
    see?.(event)
  }
  return events
}

const isCommitted = (event: HoldfastEvent): event is CommittedEvent => 'cursor' in event
const committed = (events: readonly HoldfastEvent[]) => events.filter(isCommitted)
const types = (events: readonly HoldfastEvent[]) => events.map((event) => event.type)

const get = toolOf(
  'get',
  (_, context) => {
    context.progress('halfway')
    return { value: 1 }
  },
  { effect: 'read' }
)
const busy = (begins: Promise<void> = Promise.resolve()) =>
  recordingModel(async ({ answers }) => {
    await begins
    return answers === 0 ? { text: 'let me see', toolCalls: [{ name: 'get', arguments: { k: 1 } }] } : { text: 'all is well' }
  })

describe.each([
  { name: 'memory', open: async () => memoryStore() },
  { name: 'SQLite', open: sqlite }
])('events over $name', ({ open }) => {
  test('are the facts in order, with deltas between them and the end of the run behind them', async () => {
    // Whether anybody watches is looked at when the model has begun to answer.
    const seen = latch()
    const runtime = runtimeFor(busy(seen.opened), { store: await open() })
    const handle = await runtime.start(agentOf({ tools: [get] }), { input: 'go' })
    const events = await within(collect(handle, { see: () => seen.open() }))
    expect(events.at(-1)).toEqual({ type: 'run.settled', thread: handle.id, run: handle.run, status: 'completed' })
    expect(types(committed(events))).toEqual((await handle.log()).flatMap((commit) => commit.facts.map((fact) => fact.type)))
    const order = types(events)
    expect(order.indexOf('text.delta')).toBeGreaterThan(order.indexOf('turn.started'))
    expect(order.indexOf('arguments.delta')).toBeLessThan(order.indexOf('model.responded'))
    expect(order.indexOf('tool.progress')).toBeGreaterThan(order.indexOf('call.started'))
    expect(order.indexOf('tool.progress')).toBeLessThan(order.indexOf('call.settled'))
    const deltas = events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))
    expect(deltas.join('')).toBe('let me seeall is well')
  })

  test('after any cursor are the same bytes again, live or from the log', async () => {
    const store = await open()
    const runtime = runtimeFor(busy(), { store })
    const handle = await runtime.start(agentOf({ tools: [get] }), { input: 'go' })
    const live = committed(await within(collect(handle))).map((event) => JSON.stringify(event))
    const later = runtimeFor(busy(), { store }).thread(handle.id)
    expect(committed(await collect(later)).map((event) => JSON.stringify(event))).toEqual(live)
    for (const [index, event] of committed(await collect(later)).entries()) {
      const rest = await collect(later, { after: event.cursor })
      expect(committed(rest).map((each) => JSON.stringify(each))).toEqual(live.slice(index + 1))
      expect(rest.at(-1)?.type).toBe('run.settled')
    }
  })

  test('reach a reader in another runtime, to the end', async () => {
    const store = await open()
    const gate = latch()
    const slow = toolOf('get', () => gate.opened, { effect: 'read' })
    const handle = await runtimeFor(busy(), { store }).start(agentOf({ tools: [slow] }), { input: 'go' })
    const other = runtimeFor(busy(), { store }).thread(handle.id)
    const seen: HoldfastEvent[] = []
    const reading = (async () => {
      for await (const event of other.events()) seen.push(event)
    })()
    await until(() => types(seen).includes('call.started'))
    gate.open()
    await within(reading)
    expect(seen.at(-1)).toMatchObject({ type: 'run.settled', status: 'completed' })
    expect(committed(seen)).toEqual(committed(await collect(handle)))
  })

  test('are followed over the end of a run into the next, until the reader stops', async () => {
    const store = await open()
    const runtime = runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { store }
    )
    const handle = await runtime.start(agentOf(), { input: 'go' })
    const stop = new AbortController()
    const seen: HoldfastEvent[] = []
    const reading = (async () => {
      for await (const event of handle.events({ follow: true, signal: stop.signal })) seen.push(event)
    })()
    await within(handle.settled())
    await handle.message('again')
    await within(handle.settled())
    await until(() => types(seen).filter((type) => type === 'run.ended').length === 2)
    stop.abort()
    await within(reading)
    expect(types(committed(seen))).toEqual((await handle.log()).flatMap((commit) => commit.facts.map((fact) => fact.type)))
  })
})

describe('a stream of events', () => {
  /** A thread whose model is asked at `watched`, says something, fails at `shown`, and is asked again and answers at `failed`. */
  async function twoTries() {
    const clock = fakeClock()
    const [watched, shown, failed] = [latch(), latch(), latch()]
    const model = streamingModel(async function* ({ request }) {
      yield text('t', `it is 1${request}`)
      if (request > 1) yield finish('stop')
      else await shown.opened
    })
    // Whether anybody watches is looked at when the model is asked.
    const asked: typeof model.doStream = async (request) => {
      await (model.prompts.length === 0 ? watched : failed).opened
      return model.doStream(request)
    }
    const handle = await runtimeFor({ ...model, doStream: asked }, { clock }).start(agentOf(), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'turn.started')).length > 0)
    const read = async (see: (event: HoldfastEvent) => Promise<void> | void): Promise<readonly string[]> => {
      const said: string[] = []
      for await (const event of handle.events()) {
        if (event.type === 'text.delta') said.push(`${event.try}:${event.text}`)
        if (event.type === 'try.reset' || event.type === 'model.failed') said.push(event.type)
        await see(event)
      }
      return said
    }
    return { handle, watched, shown, failed, read: (see: Parameters<typeof read>[0]) => runThrough(clock, read(see)) }
  }

  test('says that a try was for nothing before it shows the next', async () => {
    // B008
    const { watched, shown, failed, read } = await twoTries()
    const said = await read((event) => {
      if (event.type === 'turn.started') watched.open()
      if (event.type === 'text.delta') shown.open()
      if (event.type === 'model.failed') failed.open()
    })
    expect(said).toEqual(['1:it is 11', 'model.failed', 'try.reset', '2:it is 12'])
  })

  test('shows nothing of a try behind its end to who catches up', async () => {
    const { handle, watched, shown, failed, read } = await twoTries()
    shown.open()
    const said = await read((event) => {
      if (event.type === 'model.failed') failed.open()
      if (event.type !== 'run.started') return
      // The reader stands in the log at a place from which it reads the end of the try before it hears of what it said.
      watched.open()
      return until(async () => (await factsOfType(handle, 'model.failed')).length > 0)
    })
    expect(said).toContain('model.failed')
    expect(said).not.toContain('1:it is 11')
  })

  test.each([
    { pieces: ['Hel', 'lo, ', 'world'], shown: 'Hello, world' },
    { pieces: ['It is sk-live-0123', '4567', '89abcdef.'], shown: 'It is [secret:key].' }
  ])('that begins in the middle of an answer has all of it: $shown', async ({ pieces, shown }) => {
    const [middle, watched] = [latch(), latch()]
    const model = streamingModel(async function* () {
      for (const [index, piece] of pieces.entries()) {
        yield text('t', piece)
        if (index > 0) continue
        middle.open()
        await watched.opened
      }
      yield finish('stop')
    })
    const secrets = createSecretRegistry()
    secrets.add('key', 'sk-live-0123456789abcdef')
    const handle = await runtimeFor(model, { secrets }).start(agentOf(), { input: 'go' })
    await middle.opened
    await new Promise((resolve) => setImmediate(resolve))
    const events = await within(collect(handle, { see: ({ type }) => type === 'turn.started' && watched.open() }))
    expect(events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('')).toBe(shown)
  })

  test('that begins late has everything that is committed, and ends', async () => {
    const handle = await runtimeFor(busy()).start(agentOf({ tools: [get] }), { input: 'go' })
    await within(handle.settled())
    const events = await within(collect(handle))
    expect(events.every((event) => isCommitted(event) || event.type === 'run.settled')).toBe(true)
    expect(types(events)).toContain('run.ended')
  })

  test('loses deltas for a slow reader, and no facts', async () => {
    const model = streamingModel(function* ({ answers }) {
      for (let delta = 0; delta < 5_000; delta++) yield text('t', '.')
      if (answers < 3) yield { type: 'tool-call', toolCallId: `c${answers}`, toolName: 'get', input: '{}' }
      yield finish('stop')
    })
    const handle = await runtimeFor(model).start(agentOf({ tools: [get] }), { input: 'go' })
    const events = handle.events()
    const first = await events[Symbol.asyncIterator]().next()
    await within(handle.settled())
    const rest: HoldfastEvent[] = []
    for await (const event of events) rest.push(event)
    const all = [first.value as HoldfastEvent, ...rest]
    expect(committed(all)).toEqual(committed(await collect(handle)))
    expect(all.at(-1)?.type).toBe('run.settled')
    expect(all.length).toBeLessThan(4_000)
  })

  test('ends when its reader aborts or breaks, and the run goes on', async () => {
    const gate = latch()
    const slow = toolOf('get', () => gate.opened, { effect: 'read' })
    const handle = await runtimeFor(busy()).start(agentOf({ tools: [slow] }), { input: 'go' })
    for await (const event of handle.events()) if (event.type === 'call.started') break
    const stop = new AbortController()
    const reading = collect(handle, { signal: stop.signal })
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    expect((await within(reading)).some((event) => event.type === 'run.settled')).toBe(false)
    gate.open()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })

  test('of an unknown thread is refused', async () => {
    const runtime = runtimeFor(busy())
    await expect(collect(runtime.thread('thr_nobody'))).rejects.toMatchObject({ code: 'thread_not_found' })
  })

  test('of another tenant are not shown', async () => {
    const store = memoryStore()
    const handle = await runtimeFor(busy(), { store, tenant: 'a' }).start(agentOf({ tools: [get] }), { input: 'go' })
    await within(handle.settled())
    const stranger = runtimeFor(busy(), { store, tenant: 'b' }).thread(handle.id)
    for (const follow of [false, true]) {
      const seen: unknown[] = []
      const reading = (async () => {
        for await (const event of stranger.events({ follow })) seen.push(event)
      })()
      await expect(within(reading)).rejects.toMatchObject({ code: 'thread_not_found' })
      expect(seen).toEqual([])
    }
  })

  test('ends with the fault of the thread when it cannot be driven here', async () => {
    const store = memoryStore()
    const append = () => Promise.reject(new HoldfastError('store_corrupt', 'torn'))
    const handle = await runtimeFor(busy(), { store: { ...store, append } }).start(agentOf({ tools: [get] }), { input: 'go' })
    await expect(within(collect(handle))).rejects.toMatchObject({ code: 'store_corrupt' })
    await expect(within(handle.settled())).rejects.toMatchObject({ code: 'store_corrupt' })
  })

  test('shows nothing that was not committed', async () => {
    // A lost acknowledgement: the commit is there, and is shown once.
    const store = faultyStore(memoryStore(), { fail: counted(['append'], (count) => (count % 3 === 0 ? 'after' : null)) })
    const handle = await runtimeFor(busy(), { store }).start(agentOf({ tools: [get] }), { input: 'go' })
    const events = await within(collect(handle))
    expect(types(committed(events))).toEqual((await handle.log()).flatMap((commit) => commit.facts.map((fact) => fact.type)))
  })
})
