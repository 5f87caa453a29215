import type { Ms } from './contracts/ids.ts'
import type { ThreadInfo } from './contracts/store.ts'
import { readWorkerLife } from './engine/worker-life.ts'
import type { RuntimeCore } from './runtime-core.ts'

/** How long a thread stands still before that is told: from one owner to the next it takes less. */
const STILL_MS = 2_000

/**
 * Tells whoever waits here for a thread, once, that nobody drives it and that this runtime was not asked to. It is waited for all the same: an owner
 * may come in another process, and whether one will cannot be known.
 */
export class IdleNotice {
  readonly #core: RuntimeCore
  #since: Ms | null = null
  #isTold = false

  constructor(core: RuntimeCore) {
    this.#core = core
  }

  /** Looks at a thread that has not come to rest. */
  look(info: ThreadInfo): void {
    // Who only looks waits for others.
    if (this.#isTold || !this.#core.drives) return
    const { clock, warn } = this.#core
    if (!this.#isIdle(info)) {
      this.#since = null
      return
    }
    this.#since ??= clock.monotonic()
    if (clock.monotonic() - this.#since < STILL_MS) return
    this.#isTold = true
    const gone = info.owner === undefined ? '' : ` (${info.owner.worker}, which owned it, is gone)`
    warn(
      `nobody drives the thread ${info.id} now${gone}: settled() goes on waiting for a process that does. To drive it here call resume() on it, now or before that, or make the runtime with recover: true`,
      { thread: info.id, status: info.row.status }
    )
  }

  #isIdle({ id, owner, pending, timerAt }: ThreadInfo): boolean {
    if (this.#core.engine.attends(id)) return false
    if (owner !== undefined) return readWorkerLife(owner.worker) === 'dead'
    // What rests until a point in time is looked at then, by whoever does.
    return pending > 0 || timerAt === undefined || timerAt <= this.#core.clock.now()
  }
}
