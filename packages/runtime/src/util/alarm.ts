/** A call that is due later, unless it is stopped before. */
export interface Alarm {
  stop(): void
}

// Given, because making the default reason (a DOMException with its stack) costs more than the timer.
const STOPPED = 'stopped'

/** Calls `ring` once, after `durationMs` on this clock, unless the alarm is stopped before. */
export function setAlarm(
  clock: { sleep(durationMs: number, signal: AbortSignal): Promise<void> },
  durationMs: number,
  ring: () => void
): Alarm {
  const stopped = new AbortController()
  void clock.sleep(durationMs, stopped.signal).then(() => {
    if (!stopped.signal.aborted) ring()
  })
  return { stop: () => stopped.abort(STOPPED) }
}
