import { HoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { ThreadInfo } from './contracts/store.ts'
import type { RuntimeCore } from './runtime-core.ts'

/** Removes a thread with all that it had: one at rest, or with `unfinished` one that nobody drives. False when there is none. */
export async function removeThread(core: RuntimeCore, thread: ThreadId, options: { readonly unfinished?: boolean }): Promise<boolean> {
  const info = await core.store.thread(thread)
  if (!info || info.tenant !== core.tenant) return false
  const removed = await core.store.remove(thread, options)
  if (removed === 'busy') throw toBusy((await core.store.thread(thread)) ?? info)
  if (removed === 'child') {
    throw new HoldfastError('conflict', `the thread ${thread} belongs to the tree of ${info.root}: remove that one`, {
      details: { thread, root: info.root }
    })
  }
  core.faults.delete(thread)
  return removed === 'removed'
}

function toBusy({ id, owner, row, pending }: ThreadInfo): HoldfastError {
  const owned = owner && { worker: owner.worker, leaseUntil: owner.leaseUntil }
  const why = owned ? `is driven by ${owned.worker}` : `has not come to rest (${row.status}, ${pending} items in its inbox)`
  return new HoldfastError('thread_busy', `the thread ${id} ${why}: it was not removed`, {
    details: { status: row.status, pending, ...owned }
  })
}
