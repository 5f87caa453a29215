import { mkdir, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Cursor, TransientEvent } from '../src/contracts/event.ts'
import type { EventSink, SinkEvent } from '../src/contracts/event-sink.ts'
import type { Json } from '../src/contracts/json.ts'
import type { Logger } from '../src/contracts/tool.ts'
import { toEvents } from '../src/event-hub.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { consoleSink } from '../src/telemetry/console-sink.ts'
import { jsonlSink } from '../src/telemetry/jsonl-sink.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { agentOf, folder, latch, recordingModel, runThrough, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

const get = toolOf(
  'get',
  (_, { progress }) => {
    progress('halfway')
    return 'got it'
  },
  { effect: 'read' }
)
const agent = agentOf({ tools: [get], limits: { maxTurns: 2_000, maxRepeatedCalls: 2_000 } })
/** Calls `get` so many times, then says its last word. */
const calling = (times: number) =>
  recordingModel(({ answers }) => (answers < times ? { text: 'again', toolCalls: [{ name: 'get' }] } : { text: 'done' }))

/** A sink in memory. */
function listSink(over: Partial<EventSink> = {}): EventSink & { readonly events: SinkEvent[] } {
  const events: SinkEvent[] = []
  return { name: 'list', batchMs: 1, events, write: (batch) => void events.push(...batch), ...over }
}

function loggerOf(lines: { readonly message: string; readonly data: Json | undefined }[]): Logger {
  const note = (message: string, data?: Json): void => void lines.push({ message, data })
  return { debug: note, info: note, warn: note, error: note }
}

const committedOf = (events: readonly SinkEvent[], thread: string) => events.filter((event) => 'cursor' in event && event.thread === thread)
const cursorOf = (event: SinkEvent) => ('cursor' in event ? `${event.cursor.sequence}.${event.cursor.index}` : '')
const transientOf = (events: readonly SinkEvent[]) => events.filter((event): event is TransientEvent => !('cursor' in event))
const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1)
const eventsOf = async (path: string) => (await linesOf(path)).map((line) => JSON.parse(line) as SinkEvent)

/** The committed events of a thread as they stand in its log. */
async function logged(handle: { log(from?: number, limitBytes?: number): Promise<readonly Parameters<typeof toEvents>[0][]> }) {
  return (await handle.log(1, 1e9)).flatMap((commit) => toEvents(commit))
}

describe('a sink', () => {
  test('is given the committed events of all threads that are driven here, from their creation on, in order', async () => {
    const sink = listSink()
    const runtime = runtimeFor(calling(3), { sinks: [sink] })
    const handles = await Promise.all([1, 2, 3].map(() => runtime.start(agent, { input: 'go' })))
    for (const handle of handles) await within(handle.settled())
    await runtime.close()
    for (const handle of handles) expect(committedOf(sink.events, handle.id)).toEqual(await logged(handle))
    expect(transientOf(sink.events)).toEqual([])
  })

  test('is given transient events when it asks for them, in their place between the others', async () => {
    const sink = listSink({ transient: true })
    const runtime = runtimeFor(calling(1), { sinks: [sink] })
    await within((await runtime.start(agent, { input: 'go' })).settled())
    await runtime.close()
    const types = sink.events.map((event) => event.type)
    expect(types.indexOf('turn.started')).toBeLessThan(types.indexOf('text.delta'))
    expect(types.indexOf('text.delta')).toBeLessThan(types.indexOf('model.responded'))
    expect(types.indexOf('call.started')).toBeLessThan(types.indexOf('tool.progress'))
    expect(types.indexOf('tool.progress')).toBeLessThan(types.indexOf('call.settled'))
    expect(
      transientOf(sink.events)
        .flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))
        .join('')
    ).toBe('againdone')
  })

  test('that fails stops nothing; what it did not take is given again, and the log is told once', async () => {
    const lines: { readonly message: string; readonly data: Json | undefined }[] = []
    let failures = 0
    const sink = listSink()
    const failing: EventSink = {
      ...sink,
      write(batch) {
        if (failures++ < 2) throw new Error('no room')
        return sink.write(batch)
      }
    }
    const runtime = runtimeFor(calling(2), { sinks: [failing], logger: loggerOf(lines) })
    const handle = await runtime.start(agent, { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    await until(async () => committedOf(sink.events, handle.id).length === (await logged(handle)).length)
    expect(lines.map(({ data }) => data)).toEqual([{ error: 'no room' }])
    await runtime.close()
    expect(lines.at(-1)?.data).toEqual({ failures: 2, lost: 0 })
  })

  test('that never ends a write delays neither a commit nor, for long, the end of the runtime', async () => {
    const clock = fakeClock()
    const lines: { readonly message: string; readonly data: Json | undefined }[] = []
    const stuck = listSink({ write: () => new Promise(() => {}) })
    const runtime = runtimeFor(calling(5), { sinks: [stuck], clock, logger: loggerOf(lines) })
    const handle = await runtime.start(agent, { input: 'go' })
    expect(await runThrough(clock, handle.settled())).toMatchObject({ status: 'completed' })
    await runThrough(clock, runtime.close())
  })

  test('that is slower than the runs loses no committed event, and gets each in its place', async () => {
    const { opened, open } = latch()
    const sink = listSink({
      transient: true,
      write: async (batch) => {
        await opened
        sink.events.push(...batch)
      }
    })
    const runtime = runtimeFor(calling(700), { sinks: [sink] })
    const handles = await Promise.all([1, 2].map(() => runtime.start(agent, { input: 'go' })))
    for (const handle of handles) await within(handle.settled(), 250_000)
    open()
    await runtime.close()
    for (const handle of handles) {
      const cursors = committedOf(sink.events, handle.id).map(cursorOf)
      expect(cursors).toEqual((await logged(handle)).map(cursorOf))
    }
  }, 300_000)

  test('that says where it stands is given what it lacks of a thread that is taken over', async () => {
    const store = memoryStore()
    const first = runtimeFor(calling(1), { store })
    const { id } = await first.start(agent, { input: 'go' })
    await within(first.thread(id).settled())
    await first.close()
    for (const [after, from] of [
      [null, 0],
      [{ sequence: 2, index: 1 }, 3]
    ] as readonly (readonly [Cursor | null, number])[]) {
      const sink = listSink({ after: () => after })
      const second = runtimeFor(calling(1), { store, sinks: [sink], tools: [get] })
      const handle = second.thread(id)
      await handle.message('go on')
      await within(handle.settled())
      await second.close()
      expect(sink.events).toEqual((await logged(handle)).slice(from))
    }
  })
})

describe('the JSONL sink', () => {
  test('writes one event a line to a file of its owner alone', async () => {
    const path = join(await folder(), 'events.jsonl')
    const runtime = runtimeFor(calling(2), { sinks: [jsonlSink(path)] })
    const handle = await runtime.start(agent, { input: 'a\nb\u2028c\u001b[2J\u009b' })
    await within(handle.settled())
    await runtime.close()
    expect(await eventsOf(path)).toEqual(await logged(handle))
    expect(await readFile(path, 'utf8')).not.toMatch(/[\u2028\u001b\u009b]/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('goes on in a new file when the old one is moved away', async () => {
    const path = join(await folder(), 'events.jsonl')
    const runtime = runtimeFor(calling(0), { sinks: [jsonlSink(path, { batchMs: 1 })] })
    const handle = await runtime.start(agent, { input: 'one' })
    await within(handle.settled())
    await until(async () => (await eventsOf(path).catch(() => [])).some((event) => event.type === 'run.ended'))
    await rename(path, `${path}.1`)
    await handle.message('two')
    await within(handle.settled())
    await runtime.close()
    expect([...(await eventsOf(`${path}.1`)), ...(await eventsOf(path))]).toEqual(await logged(handle))
  })

  test('ends a torn line before it goes on, wherever it was cut', async () => {
    // B049
    const path = join(await folder(), 'events.jsonl')
    const whole = `${JSON.stringify({ type: 'first' })}\n${JSON.stringify({ type: 'second', text: 'x'.repeat(80) })}\n`
    for (let cut = 0; cut <= 64; cut++) {
      await writeFile(path, whole.slice(0, whole.length - cut))
      await jsonlSink(path).write([progress('new')])
      const lines = await linesOf(path)
      expect(lines.at(-1)).toBe(JSON.stringify(progress('new')))
      expect(lines.slice(0, -1).join('\n')).toBe(whole.slice(0, whole.length - Math.max(1, cut)))
    }
  })

  test('looks for a torn line again after a write that failed', async () => {
    const path = join(await folder(), 'events.jsonl')
    const sink = jsonlSink(path)
    await sink.write([progress('one')])
    await rename(path, `${path}.1`)
    await mkdir(path)
    await expect(sink.write([progress('two')])).rejects.toThrow()
    await rmdir(path)
    await writeFile(path, '{"type":"torn')
    await sink.write([progress('two')])
    expect(await linesOf(path)).toEqual(['{"type":"torn', JSON.stringify(progress('two'))])
  })

  test('in a place where nothing can be written stops nothing', async () => {
    const lines: { readonly message: string; readonly data: Json | undefined }[] = []
    const path = join(await folder(), 'events.jsonl')
    await mkdir(path)
    const runtime = runtimeFor(calling(2), { sinks: [jsonlSink(path, { batchMs: 1 })], logger: loggerOf(lines) })
    expect(await within((await runtime.start(agent, { input: 'go' })).settled())).toMatchObject({ status: 'completed' })
    await until(() => lines.length > 0)
    await runtime.close()
    expect(lines).toHaveLength(2)
    expect(lines.at(-1)?.data).toMatchObject({ lost: expect.any(Number) })
  })

  test('writes to a stream in pieces of a bounded size, waits for it, and outlives its errors', async () => {
    const pieces: string[] = []
    const stream = new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        pieces.push(String(text))
        setImmediate(done)
      }
    })
    const sink = jsonlSink(stream, { maxBytes: 1_000 })
    await sink.write([...Array.from({ length: 50 }, (_, index) => progress(`${index} ${'é'.repeat(100)}`)), progress('long'.repeat(1_000))])
    expect(pieces.join('').split('\n')).toHaveLength(52)
    expect(pieces.slice(0, -1).every((piece) => piece.endsWith('\n') && Buffer.byteLength(piece) <= 1_000)).toBe(true)
    stream.destroy(new Error('gone'))
    await expect(sink.write([progress('late')])).rejects.toThrow()
  })
})

test('the console sink shows a line for each event, and nothing that steers a terminal', async () => {
  const lines: string[] = []
  const sink = consoleSink((line) => void lines.push(line), { transient: true, maxLength: 60 })
  const runtime = runtimeFor(calling(1), { sinks: [sink] })
  const handle = await runtime.start(agent, { input: `\u001b[2J\u009b\u202e\n${'x'.repeat(500)}` })
  await within(handle.settled())
  await runtime.close()
  expect(lines.length).toBeGreaterThan((await logged(handle)).length)
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200)
})

function progress(text: string): SinkEvent {
  return { type: 'tool.progress', thread: 'thr_1', attempt: 1, call: 'c', text }
}
