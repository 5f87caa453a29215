// Keeps I9: whatever a hook does, there is an answer in time.
import type { Alarm, Clock } from '../contracts/clock.ts'
import type { Hook } from '../contracts/hook.ts'
import type { Ms } from '../contracts/ids.ts'

/** How long a hook may take that does not say. */
export const HOOK_TIMEOUT_MS = 10_000

/** What a hook gave, or why there is nothing. */
export type HookReply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string }

/** How a hook is called. */
export interface HookCalling {
  readonly clock: Clock
  /** Whoever calls needs no answer any more. */
  readonly signal: AbortSignal
}

/** Calls a hook within its time. Never rejects. */
export function callHook(
  { timeoutMs = HOOK_TIMEOUT_MS }: Pick<Hook, 'timeoutMs'>,
  work: (signal: AbortSignal) => unknown,
  { clock, signal }: HookCalling
): Promise<HookReply> {
  if (signal.aborted) return Promise.resolve(STOPPED)
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<HookReply>()
  const abort = (): void => {
    stop.abort(signal.reason)
    resolve(STOPPED)
  }
  const alarm = clock.alarm(timeoutMs, () => {
    stop.abort(new Error('the hook took too long'))
    resolve({ ok: false, error: `it did not answer within ${timeoutMs} ms` })
  })
  signal.addEventListener('abort', abort, { once: true })
  attempt(work, stop.signal).then(
    (value) => resolve({ ok: true, value }),
    (error: unknown) => resolve({ ok: false, error: toText(error) })
  )
  return promise.finally(() => letGo(alarm, () => signal.removeEventListener('abort', abort)))
}

async function attempt(work: (signal: AbortSignal) => unknown, signal: AbortSignal): Promise<unknown> {
  return work(signal)
}

const STOPPED: HookReply = { ok: false, error: 'it was stopped' }

function letGo(alarm: Alarm, forget: () => void): void {
  alarm.stop()
  forget()
}

/** What is thrown may be anything, also what cannot be made a text. */
function toText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).toWellFormed()
  } catch {
    return 'it failed without a message'
  }
}

/** How long hooks may take one after another. */
export function timeOf(hooks: readonly Pick<Hook, 'timeoutMs'>[]): Ms {
  return hooks.reduce((sum, { timeoutMs = HOOK_TIMEOUT_MS }) => sum + timeoutMs, 0)
}
