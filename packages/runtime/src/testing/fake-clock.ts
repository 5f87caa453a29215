import type { Alarm, Clock } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves both clocks forward and wakes, in order, the sleepers whose time has come. */
  advance(durationMs: Ms): Promise<void>
  /** Sets the wall clock alone, as an operator or a time server does. */
  setNow(now: Ms): void
  /** How many sleeps are under way. */
  readonly sleepers: number
  /** When the next sleeper is due, as a duration from now; null when nobody sleeps. */
  readonly nextInMs: Ms | null
}

interface Sleeper {
  readonly due: Ms
  readonly wake: () => void
}

/** Makes a clock that begins at `now` (default: the start of 2026) and only tests move. */
export function fakeClock(options: { readonly now?: Ms } = {}): FakeClock {
  let now = options.now ?? Date.UTC(2026, 0, 1)
  let monotonic = 0
  const sleepers = new Set<Sleeper>()

  function nextSleeper(until: Ms): Sleeper | undefined {
    let next: Sleeper | undefined
    for (const sleeper of sleepers) if (sleeper.due <= until && (next === undefined || sleeper.due < next.due)) next = sleeper
    return next
  }

  function moveTo(point: Ms): void {
    now += point - monotonic
    monotonic = point
  }

  return {
    now: () => now,
    monotonic: () => monotonic,
    sleep: (durationMs, signal) => sleepOn(sleepers, monotonic, durationMs, signal),
    alarm: (durationMs, ring) => alarmOn(sleepers, monotonic, durationMs, ring),
    async advance(durationMs) {
      const until = monotonic + durationMs
      for (let next = nextSleeper(until); next !== undefined; next = nextSleeper(until)) {
        moveTo(Math.max(monotonic, next.due))
        next.wake()
        await new Promise((resolve) => setImmediate(resolve))
      }
      moveTo(until)
    },
    setNow(point) {
      now = point
    },
    get sleepers() {
      return sleepers.size
    },
    get nextInMs() {
      const next = nextSleeper(Infinity)
      return next === undefined ? null : Math.max(0, next.due - monotonic)
    }
  }
}

function alarmOn(sleepers: Set<Sleeper>, start: Ms, durationMs: Ms, ring: () => void): Alarm {
  const sleeper: Sleeper = {
    due: start + Math.max(0, durationMs),
    wake() {
      if (sleepers.delete(sleeper)) ring()
    }
  }
  sleepers.add(sleeper)
  // As on a real clock, what is due at once rings without being waited for, but not before the caller goes on.
  if (durationMs <= 0) queueMicrotask(sleeper.wake)
  return { stop: () => void sleepers.delete(sleeper) }
}

function sleepOn(sleepers: Set<Sleeper>, start: Ms, durationMs: Ms, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (durationMs <= 0 || signal?.aborted === true) return resolve()
    const sleeper: Sleeper = {
      due: start + durationMs,
      wake() {
        sleepers.delete(sleeper)
        signal?.removeEventListener('abort', sleeper.wake)
        resolve()
      }
    }
    sleepers.add(sleeper)
    signal?.addEventListener('abort', sleeper.wake, { once: true })
  })
}
