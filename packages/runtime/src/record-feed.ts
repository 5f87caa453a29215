// Keeps I9: an event sink like any other, which makes records of what it is told. A batch that is given again changes nothing.
import type { CommittedEvent, Cursor } from './contracts/event.ts'
import type { EventSink, SinkEvent } from './contracts/event-sink.ts'
import type { Fact } from './contracts/fact.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { RecordSink } from './contracts/record-sink.ts'
import type { Store } from './contracts/store.ts'
import type { TurnRecord } from './contracts/turn-record.ts'
import { TurnRecorder } from './state/turn-recorder.ts'

/** How many threads with an open turn are remembered; of others the log is read again. */
const MAX_THREADS = 1_000
const PAGE_BYTES = 1024 * 1024

interface Known {
  readonly recorder: TurnRecorder
  /** The last fact that it was told. */
  cursor: Cursor
}

/** The events of a runtime as the records of one sink. */
export function toEventSink(sink: RecordSink, store: Pick<Store, 'read' | 'runs'>): EventSink {
  const threads = new Map<ThreadId, Known>()
  let ready: TurnRecord[] = []
  return {
    name: sink.name,
    ...(sink.batchMs === undefined ? {} : { batchMs: sink.batchMs }),
    async write(events: readonly SinkEvent[]) {
      for (const event of events) if ('cursor' in event) ready.push(...(await record(store, threads, event)))
      if (ready.length > 0) await sink.write(ready)
      ready = []
      forget(threads)
    }
  }
}

async function record(
  store: Pick<Store, 'read' | 'runs'>,
  threads: Map<ThreadId, Known>,
  { thread, cursor, at, type, run, scope, data }: CommittedEvent
): Promise<readonly TurnRecord[]> {
  const known = threads.get(thread)
  if (known && !isBefore(known.cursor, cursor)) return []
  const { recorder } = known && isNext(known.cursor, cursor) ? known : await readKnown(store, thread, cursor)
  threads.delete(thread)
  threads.set(thread, { recorder, cursor })
  const envelope = { v: 1, type, ...(run === undefined ? {} : { run }), ...(scope === undefined ? {} : { scope }) }
  return recorder.take({ ...envelope, ...data } as Fact, { cursor, at })
}

/** What stands in the log before a place, from the beginning of its run on. Its records were given by whoever drove the thread then. */
async function readKnown(store: Pick<Store, 'read' | 'runs'>, thread: ThreadId, before: Cursor): Promise<Known> {
  const recorder = new TurnRecorder(thread)
  const run = (await store.runs(thread)).findLast(({ startedIn }) => startedIn <= before.sequence)
  for (let next = run?.startedIn ?? 1; next <= before.sequence; ) {
    const page = await store.read(thread, next, PAGE_BYTES)
    if (page.length === 0) break
    for (const { sequence, at, facts } of page) {
      for (const [index, fact] of facts.entries()) {
        const cursor = { sequence, index }
        if (isBefore(cursor, before)) recorder.take(fact, { cursor, at })
      }
      next = sequence + 1
    }
  }
  return { recorder, cursor: before }
}

/** Where nothing is open nothing need be remembered; what was not written yet must not be recorded twice. */
function forget(threads: Map<ThreadId, Known>): void {
  for (const [thread, { recorder }] of threads) if (recorder.isIdle) threads.delete(thread)
  for (const thread of [...threads.keys()].slice(0, Math.max(0, threads.size - MAX_THREADS))) threads.delete(thread)
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.sequence < b.sequence || (a.sequence === b.sequence && a.index < b.index)
}

function isNext(a: Cursor, b: Cursor): boolean {
  return b.sequence === a.sequence ? b.index === a.index + 1 : b.sequence === a.sequence + 1 && b.index === 0
}
