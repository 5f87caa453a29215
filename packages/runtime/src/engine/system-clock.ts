import { randomBytes } from 'node:crypto'
import { hrtime } from 'node:process'
import type { Alarm, Clock, IdSource } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'

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
  // As `setTimeout` has it.
  const atLeastMs = Math.max(1, durationMs)
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
/** Those without an alarm; the one that has been so for longest is the first. */
const idle = new Set<SharedTimer>()

/**
 * The timer of all alarms of one duration. Nearly all are stopped before they ring, and to make and clear a timer of Node's for each costs several times
 * as much as the alarm. Each is due after those that were set before it, so that a timer for the first does for all.
 */
class SharedTimer {
  readonly #durationMs: Ms
  readonly #alarms = new Set<SharedAlarm>()
  #timer: NodeJS.Timeout

  constructor(durationMs: Ms) {
    this.#durationMs = durationMs
    this.#timer = setTimeout(() => this.#ring(), durationMs)
    timers.set(durationMs, this)
  }

  add(ring: () => void): Alarm {
    // An alarm keeps the process alive, and a timer that is kept for later ones does not.
    if (idle.delete(this)) this.#timer.ref()
    const alarm = new SharedAlarm(this, ring, monotonic() + this.#durationMs)
    this.#alarms.add(alarm)
    return alarm
  }

  remove(alarm: SharedAlarm): void {
    if (!this.#alarms.delete(alarm) || this.#alarms.size > 0) return
    this.#timer.unref()
    idle.add(this)
    if (idle.size > MAX_IDLE_TIMERS) for (const oldest of idle) return oldest.#drop()
  }

  #ring(): void {
    const now = monotonic() + SLACK_MS
    try {
      for (const alarm of this.#alarms) {
        if (alarm.due > now) break
        this.#alarms.delete(alarm)
        alarm.ring()
      }
    } finally {
      this.#goOn()
    }
  }

  #goOn(): void {
    for (const { due } of this.#alarms) {
      this.#timer = setTimeout(() => this.#ring(), Math.max(1, due - monotonic()))
      return
    }
    this.#drop()
  }

  #drop(): void {
    clearTimeout(this.#timer)
    idle.delete(this)
    timers.delete(this.#durationMs)
  }
}

/** A class, as all that an effect in flight hangs on: where many are in flight at once V8 puts object literals among what lives long, and there what they lead to stays long after its end. */
class SharedAlarm implements Alarm {
  readonly due: Ms
  readonly ring: () => void
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
