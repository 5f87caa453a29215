import { randomBytes } from 'node:crypto'
import type { Alarm, Clock, IdSource } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'

// Asked for once: the global is a getter, and costs ten times the reading of the clock.
const { performance } = globalThis

// setTimeout fires at once beyond this.
const LONGEST_TIMER_MS = 2 ** 31 - 1
const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
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

function alarm(durationMs: Ms, ring: () => void): Alarm {
  if (durationMs > LONGEST_TIMER_MS) return longAlarm(durationMs, ring)
  return new TimerAlarm(setTimeout(ring, durationMs))
}

/** A class, as all that an effect in flight hangs on: where many are in flight at once V8 puts object literals among what lives long, and there what they lead to stays long after its end. */
class TimerAlarm implements Alarm {
  readonly #timer: NodeJS.Timeout

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

function longAlarm(durationMs: Ms, ring: () => void): Alarm {
  let next = alarm(LONGEST_TIMER_MS, () => {
    next = alarm(durationMs - LONGEST_TIMER_MS, ring)
  })
  return { stop: () => next.stop() }
}
