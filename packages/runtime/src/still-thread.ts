import { HoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { AcceptedItem, RunInfo, ThreadInfo } from './contracts/store.ts'
import type { WaitRow } from './contracts/wait.ts'
import { readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'

/** How often a thread that goes on is looked at before it is called busy. */
const MAX_LOOKS = 20
const MAX_WAITS = 1000

/** What a store keeps beside a thread's log, all of one moment. */
export interface StillThread {
  readonly info: ThreadInfo
  readonly items: readonly AcceptedItem[]
  readonly runs: readonly RunInfo[]
  /** Open and decided ones, a thousand at most. */
  readonly waits: readonly WaitRow[]
}

/** Reads a thread between two of its commits: everything but the arrival of items changes only with them. Throws `thread_not_found`, `thread_busy`. */
export async function readStill(core: RuntimeCore, thread: ThreadId): Promise<StillThread> {
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const info = await readInfo(core, thread)
    const items = await core.store.items(thread)
    const runs = await core.store.runs(thread)
    const { items: waits } = await core.store.waits({ tenant: core.tenant, thread, limit: MAX_WAITS })
    const { head, attempt } = await readInfo(core, thread)
    if (head === info.head && attempt === info.attempt) return { info, items, runs, waits }
  }
  throw new HoldfastError('thread_busy', `the thread ${thread} goes on all the time: try again when it rests`)
}
