import { HoldfastError } from './contracts/errors.ts'
import type { RunStatus } from './contracts/fact.ts'
import type { Ms, ThreadId } from './contracts/ids.ts'
import type { ThreadInfo } from './contracts/store.ts'
import type { SettledOptions } from './contracts/thread-handle.ts'
import { IdleNotice } from './idle-notice.ts'
import { assertPlaceable } from './lacking-models.ts'
import type { RuntimeCore } from './runtime-core.ts'

const ENDED: readonly RunStatus[] = ['completed', 'failed', 'cancelled', 'stopped']
// Given, because making the default reason costs a stack.
const WOKEN = 'woken'

/** How often a thread that another process may drive is looked at, beside the store's hints. */
export const LOOK_MS = 1_000

/** A thread as the store shows it. Throws `thread_not_found`. */
export async function readInfo(core: RuntimeCore, thread: ThreadId): Promise<ThreadInfo> {
  const info = await core.store.thread(thread)
  if (!info || info.tenant !== core.tenant) throw new HoldfastError('thread_not_found', `there is no thread ${thread} in this store`)
  return info
}

/** Throws `runtime_closed` once the runtime drives nothing any more. */
export function assertOpen(core: RuntimeCore): void {
  if (core.isClosed)
    throw new HoldfastError('runtime_closed', 'this runtime has been closed and drives nothing: make another one over the same store')
}

/** Whether nobody drives the thread and nothing waits to be taken: its run has ended, or waits for somebody. */
export async function isAtRest(core: RuntimeCore, info: ThreadInfo): Promise<boolean> {
  if (info.owner || core.engine.isDriving(info.id)) return false
  if (info.row.status !== 'waiting' && !ENDED.includes(info.row.status)) return false
  if (info.pending === 0) return true
  // What a drive left that failed here is not done with.
  if (core.faults.has(info.id)) return false
  // The same elsewhere: what waits there is due again after a pause. A run that has ended has no timer of its own.
  if (info.timerAt !== undefined && ENDED.includes(info.row.status)) return false
  const items = await core.store.pending(info.id)
  if (items.some((item) => item.state !== 'deferred')) return false
  // Whoever took an item meanwhile has committed that: what became of the run is not what was read before.
  const { head, owner } = await readInfo(core, info.id)
  return head === info.head && owner === undefined
}

/** Waits until the thread is at rest. Throws what makes that impossible here: a fault of its drive, or something that it needs. */
export async function untilRest(core: RuntimeCore, thread: ThreadId, { signal, here }: SettledOptions): Promise<ThreadInfo> {
  using _hints = watchStore(core)
  const idle = new IdleNotice(core)
  const since = core.clock.monotonic()
  for (;;) {
    signal?.throwIfAborted()
    const woken = new AbortController()
    using _listener = core.hub.onRest(thread, () => woken.abort(WOKEN))
    const info = await readInfo(core, thread)
    const isOver = await isAtRest(core, info)
    if (here === true) await failIfTaken(core, info, isOver)
    if (isOver) return info
    failIfHopeless(core, info, since)
    idle.look(info)
    await core.clock.sleep(LOOK_MS, signal ? AbortSignal.any([signal, woken.signal]) : woken.signal)
  }
}

/** Throws `thread_taken` when this runtime has lost the thread to another worker, who owns it or has brought it to rest. */
async function failIfTaken(core: RuntimeCore, { id, head, owner }: ThreadInfo, isOver: boolean): Promise<void> {
  const lost = core.lost.get(id)
  if (lost === undefined || core.engine.isDriving(id)) return
  // A lease that ran out is no loss as long as nobody else has come.
  if (owner === undefined && !isOver) return
  const worker = owner === undefined ? (await core.store.read(id, head, 1))[0]?.worker : owner.worker
  // The last commit may have been ours, and only its receipt was lost.
  if (worker === undefined || worker === lost || worker === core.engine.worker) return
  const now =
    owner === undefined ? 'has brought it to rest' : `owns it until ${new Date(owner.leaseUntil).toISOString()} and longer while it lives`
  throw new HoldfastError('thread_taken', `the thread ${id} was taken from this process: ${worker} ${now}`, {
    details: { thread: id, worker, ...(owner === undefined ? {} : { leaseUntil: owner.leaseUntil }) }
  })
}

const watches = new WeakMap<RuntimeCore, { holders: number; readonly hint: Disposable }>()

/** Hints of the store reach the watchers for as long as anybody holds this. */
export function watchStore(core: RuntimeCore): Disposable {
  const known = watches.get(core)
  const watch = known ?? { holders: 0, hint: core.store.hint((thread) => passOn(core, thread)) }
  watch.holders++
  watches.set(core, watch)
  return {
    [Symbol.dispose]() {
      watch.holders--
      if (watch.holders > 0) return
      watches.delete(core)
      watch.hint[Symbol.dispose]()
    }
  }
}

function passOn(core: RuntimeCore, thread: ThreadId | null): void {
  // What this process drives is announced by its own engine.
  if (thread === null || !core.engine.isDriving(thread)) core.hub.look(thread)
}

/** Throws what ended the last drive of a thread here, as long as it was not asked for again. */
export function throwFault(core: RuntimeCore, thread: ThreadId): void {
  const fault = core.faults.get(thread)
  if (fault !== undefined && !core.engine.isDriving(thread)) throw fault
}

/**
 * Throws what makes it impossible here that anything more happens to a thread, or the store's error where it has been failing for long to hand it out. That
 * counts from when the waiting began: who waits again gives it its time again.
 */
export function failIfHopeless(core: RuntimeCore, info: ThreadInfo, since: Ms): void {
  throwFault(core, info.id)
  assertOpen(core)
  const { engine, trouble } = core
  const failure = engine.attends(info.id) && !engine.isDriving(info.id) ? trouble.lasting(since) : undefined
  if (failure !== undefined) throw failure
  // Who only looks waits for others.
  if (!core.drives) return
  if (!info.owner) assertPlaceable(info.id, core.missing(info))
}
