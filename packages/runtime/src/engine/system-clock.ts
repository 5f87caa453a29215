import { randomBytes } from 'node:crypto'
import type { Clock, IdSource } from '../contracts/clock.ts'
import type { Ms } from '../contracts/ids.ts'

// setTimeout fires at once beyond this.
const LONGEST_TIMER_MS = 2 ** 31 - 1
const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep
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
  return durationMs <= LONGEST_TIMER_MS ? sleepOnce(Math.max(0, durationMs), signal) : sleepLong(durationMs, signal)
}

async function sleepLong(durationMs: Ms, signal?: AbortSignal): Promise<void> {
  let left = durationMs
  while (left > LONGEST_TIMER_MS && !signal?.aborted) {
    await sleepOnce(LONGEST_TIMER_MS, signal)
    left -= LONGEST_TIMER_MS
  }
  await sleepOnce(left, signal)
}

function sleepOnce(durationMs: Ms, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, durationMs)
    signal?.addEventListener('abort', end, { once: true })
  })
}
