import type { Ms } from '../contracts/ids.ts'
import { isBusy, toStoreError } from './sqlite-errors.ts'

// Asked for once: the global is a getter, and costs ten times the reading of the clock.
const { performance } = globalThis

/** How long to wait before the n-th retry: some milliseconds, growing to about 50, with jitter. Never blocks the event loop. */
export function toRetryDelay(retry: number): Ms {
  const most = Math.min(50, 2 ** Math.min(retry, 6))
  return most / 2 + (Math.random() * most) / 2
}

/** Runs a step until it meets no lock of another process, at most for `timeoutMs`; then `store_unavailable`. Other errors are told as the store's. */
export async function retryBusy<Result>(step: () => Result, path: string, timeoutMs: Ms): Promise<Result> {
  const deadline = performance.now() + timeoutMs
  for (let retry = 1; ; retry += 1) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toStoreError(error, path)
    }
    await new Promise((resolve) => setTimeout(resolve, toRetryDelay(retry)))
  }
}
