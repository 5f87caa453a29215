import type { HoldfastEvent } from '@holdfast/runtime'

/**
 * Passes on the events of a thread that this process drives. What others do once they have taken it from this process is kept back until it is
 * known whose the end is: it must not stand among what this process did.
 */
export class OwnAttempts {
  readonly #isOwn: (worker: string) => boolean
  readonly #tell: (event: HoldfastEvent) => void
  #isMine = false
  #kept: HoldfastEvent[] | undefined

  constructor(isOwn: (worker: string) => boolean, tell: (event: HoldfastEvent) => void) {
    this.#isOwn = isOwn
    this.#tell = tell
  }

  take(event: HoldfastEvent): void {
    if (event.type === 'attempt.claimed') this.#claimed(this.#isOwn(event.data.worker))
    if (this.#kept === undefined) this.#tell(event)
    else this.#kept.push(event)
  }

  /** It is this process that went on, or others may. */
  release(): void {
    const kept = this.#kept ?? []
    this.#kept = undefined
    for (const event of kept) this.#tell(event)
  }

  #claimed(isOwn: boolean): void {
    if (isOwn) this.release()
    else if (this.#isMine) this.#kept ??= []
    this.#isMine = isOwn || this.#isMine
  }
}
