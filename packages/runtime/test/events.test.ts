import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../src/contracts/errors.ts'
import type { CommittedEvent, HoldfastEvent } from '../src/contracts/event.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import { collect } from './events-kit.ts'
import { agentOf, counted, latch, recordingModel, runtimeFor, sqlite, streamingModel, toolOf, until, within } from './runtime-kit.ts'
import { call, finish, text } from './stream-parts.ts'

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
const busy = () =>
  recordingModel(({ answers }) =>
    answers === 0 ? { text: 'let me see', toolCalls: [{ name: 'get', arguments: { k: 1 } }] } : { text: 'all is well' }
  )

describe.each([
  { name: 'memory', open: async () => memoryStore() },
  { name: 'SQLite', open: sqlite }
])('events over $name', ({ open }) => {
  test('are the facts in order, with deltas between them and the end of the run behind them', async () => {
    // What is committed by the time when it is read is shown without its deltas.
    const [begun, shown, last] = [latch(), latch(), latch()]
    const model = streamingModel(async function* ({ answers }) {
      await begun.opened
      yield text('t', answers === 0 ? 'let me see' : 'all is well')
      if (answers === 0) {
        yield { type: 'tool-input-start', id: 'c', toolName: 'get' }
        yield { type: 'tool-input-delta', id: 'c', delta: '{"k":1}' }
        yield call('c', 'get', '{"k":1}')
      }
      await (answers === 0 ? shown : last).opened
      yield finish('stop')
    })
    const handle = await runtimeFor(model, { store: await open() }).start(agentOf({ tools: [get] }), { input: 'go' })
    const see = (event: HoldfastEvent): void => {
      begun.open()
      if (event.type === 'arguments.delta') shown.open()
      if (event.type === 'text.delta' && event.text === 'all is well') last.open()
    }
    const events = await within(collect(handle, { see }))
    expect(events.at(-1)).toEqual({ type: 'run.settled', thread: handle.id, run: handle.run, status: 'completed' })
    expect(types(committed(events))).toEqual((await handle.log()).flatMap((commit) => commit.facts.map((fact) => fact.type)))
    const order = types(events)
    expect(order.indexOf('text.delta')).toBeGreaterThan(order.indexOf('turn.started'))
    expect(order.indexOf('arguments.delta')).toBeGreaterThan(order.indexOf('text.delta'))
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
  test('that begins late has everything that is committed, and ends', async () => {
    const handle = await runtimeFor(busy()).start(agentOf({ tools: [get] }), { input: 'go' })
    await within(handle.settled())
    const events = await within(collect(handle))
    expect(events.every((event) => isCommitted(event) || event.type === 'run.settled')).toBe(true)
    expect(types(events)).toContain('run.ended')
  })

  test('ends with the run that its last events are of, also where that one began and ended while it looked', async () => {
    const store = memoryStore()
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model, { store }).start(agentOf(), { input: 'go' })
    await within(handle.settled())
    let looks = 0
    const thread: Store['thread'] = async (id) => {
      const info = await store.thread(id)
      looks += 1
      // The first look is for the tenant, the second one says that the thread rests.
      if (looks === 2) {
        await handle.message('again')
        await within(handle.settled())
      }
      return info
    }
    const watcher = runtimeFor(model, { store: { ...store, thread }, concurrency: 0 })
    const events = await within(collect(watcher.thread(handle.id)))
    expect(types(events).filter((type) => type === 'run.ended')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ type: 'run.settled', run: (await handle.info()).row.run })
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
