import { randomBytes } from 'node:crypto'
import type { Alarm, Clock, IdSource } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'

// Not from `node:process`: importing that opens the standard streams of the process, all three.
const { hrtime } = process

// setTimeout fires at once beyond this.
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** How many timers without an alarm are kept for the alarms of the same duration that are likely to follow. */
const MAX_IDLE_TIMERS = 8
/** A timer of Node's counts from the beginning of its loop's round, in whole milliseconds. */
const SLACK_MS = 1
const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  sleep,
  alarm
}

/** Identities from the system's random source. */
export const randomIds: IdSource = {
  next(length) {
    let id = ''
    for (const byte of randomBytes(length)) id += ALPHABET[byte & 31]
    return id
  }
}

function sleep(durationMs: Ms, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      timer.stop()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = alarm(durationMs, end)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** One call within Node, where the global `performance` takes four to be found and asked: it is asked many times a turn. */
function monotonic(): Ms {
  return Number(hrtime.bigint()) / 1e6
}

function alarm(durationMs: Ms, ring: () => void): Alarm {
  if (durationMs > LONGEST_TIMER_MS) return longAlarm(durationMs, ring)
  // As `setTimeout` has it, also for what is no number.
  const atLeastMs = durationMs > 1 ? durationMs : 1
  const timer = timers.get(atLeastMs) ?? new SharedTimer(atLeastMs)
  return timer.add(ring)
}

function longAlarm(durationMs: Ms, ring: () => void): Alarm {
  let next = alarm(LONGEST_TIMER_MS, () => {
    next = alarm(durationMs - LONGEST_TIMER_MS, ring)
  })
  return { stop: () => next.stop() }
}

/** By their duration. */
const timers = new Map<Ms, SharedTimer>()
/** Those of them that have no alarm, the first to become so first. */
const idle = new Set<SharedTimer>()

/**
 * The timer of all alarms of one duration. Nearly all are stopped before they ring, and to make and clear a timer of Node's for each costs several times
 * as much as the alarm. Each is due after those that were set before it, so that a timer for the first does for all.
 */
class SharedTimer {
  readonly #durationMs: Ms
  #timer: NodeJS.Timeout
  // A list, and no `Set`: that leaves behind its tables as it changes, and each holds the next, and what was in it.
  #first: SharedAlarm | null = null
  #last: SharedAlarm | null = null

  constructor(durationMs: Ms) {
    this.#durationMs = durationMs
    this.#timer = setTimeout(() => this.#ring(), durationMs)
    timers.set(durationMs, this)
  }

  add(ring: () => void): Alarm {
    // An alarm keeps the process alive, and a timer that is kept for later ones does not.
    if (idle.delete(this)) this.#timer.ref()
    const alarm = new SharedAlarm(this, ring, monotonic() + this.#durationMs)
    alarm.previous = this.#last
    if (this.#last === null) this.#first = alarm
    else this.#last.next = alarm
    this.#last = alarm
    return alarm
  }

  remove(alarm: SharedAlarm): void {
    if (alarm.ring === null) return
    this.#unlink(alarm)
    if (this.#first !== null) return
    this.#timer.unref()
    idle.add(this)
    if (idle.size > MAX_IDLE_TIMERS) SharedTimer.#dropOldest()
  }

  #unlink(alarm: SharedAlarm): void {
    const { previous, next } = alarm
    if (previous === null) this.#first = next
    else previous.next = next
    if (next === null) this.#last = previous
    else next.previous = previous
    // What is over holds nothing that is not.
    alarm.ring = null
    alarm.previous = null
    alarm.next = null
  }

  #ring(): void {
    const now = monotonic() + SLACK_MS
    try {
      for (let alarm = this.#first; alarm !== null && alarm.due <= now; alarm = this.#first) {
        const { ring } = alarm
        this.#unlink(alarm)
        ring?.()
      }
    } finally {
      if (this.#first === null) this.#drop()
      else this.#timer = setTimeout(() => this.#ring(), Math.max(1, this.#first.due - monotonic()))
    }
  }

  static #dropOldest(): void {
    for (const timer of idle) return timer.#drop()
  }

  #drop(): void {
    clearTimeout(this.#timer)
    idle.delete(this)
    // Another one has its place where it was let go for others while it rang.
    if (timers.get(this.#durationMs) === this) timers.delete(this.#durationMs)
  }
}

/** A class, as all that an effect in flight hangs on: where many are in flight at once V8 puts object literals among what lives long, and there what they lead to stays long after its end. */
class SharedAlarm implements Alarm {
  readonly due: Ms
  /** Null once it is over. */
  ring: (() => void) | null
  previous: SharedAlarm | null = null
  next: SharedAlarm | null = null
  readonly #timer: SharedTimer

  constructor(timer: SharedTimer, ring: () => void, due: Ms) {
    this.#timer = timer
    this.ring = ring
    this.due = due
  }

  stop(): void {
    this.#timer.remove(this)
  }
}
