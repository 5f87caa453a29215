import { getActiveResourcesInfo } from 'node:process'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/engine/system-clock.ts'

// Durations that nothing else in this process uses.
const SOON_MS = 23
const NEVER_MS = 3_600_123

/** Timers that keep this process alive. */
function timers(): number {
  return getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

/** The runner has timers of its own, which end soon after a test has begun; those of longer durations ring behind them. */
const untilRunnerRests = () => new Promise((resolve) => setTimeout(resolve, 350))

describe('the clock of the system', () => {
  it('rings each alarm of a duration once, in the order in which they were set, and not before', async () => {
    const rung: string[] = []
    const since = systemClock.monotonic()
    await new Promise<void>((resolve) => {
      systemClock.alarm(SOON_MS, () => rung.push('first'))
      systemClock.alarm(SOON_MS, () => rung.push('second')).stop()
      setTimeout(() => {
        systemClock.alarm(SOON_MS, () => {
          rung.push('last')
          resolve()
        })
      }, SOON_MS / 2)
    })
    // A timer of Node's may be a millisecond early.
    expect(systemClock.monotonic() - since).toBeGreaterThanOrEqual(1.5 * SOON_MS - 2)
    await systemClock.sleep(2 * SOON_MS)
    expect(rung).toEqual(['first', 'last'])
  })

  it('rings what is due while another alarm of the same duration is set, stopped and set again', async () => {
    const rung: string[] = []
    await new Promise<void>((resolve) => {
      systemClock.alarm(SOON_MS, () => {
        systemClock.alarm(SOON_MS, resolve)
        rung.push('first')
        second.stop()
      })
      const second = systemClock.alarm(SOON_MS, () => rung.push('second'))
      systemClock.alarm(SOON_MS, () => rung.push('third'))
    })
    expect(rung).toEqual(['first', 'third'])
  })

  it('keeps the process alive for an alarm, and not for one that was stopped', () => {
    const before = timers()
    const one = systemClock.alarm(NEVER_MS, () => {})
    const other = systemClock.alarm(NEVER_MS, () => {})
    expect(timers()).toBe(before + 1)
    one.stop()
    one.stop()
    expect(timers()).toBe(before + 1)
    other.stop()
    expect(timers()).toBe(before)
    const again = systemClock.alarm(NEVER_MS, () => {})
    expect(timers()).toBe(before + 1)
    again.stop()
    expect(timers()).toBe(before)
  })

  it('rings the others of a duration when one throws', async () => {
    const thrown = new Error('of a test')
    const caught: unknown[] = []
    const own = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', (error) => caught.push(error))
    await new Promise<void>((resolve) => {
      systemClock.alarm(SOON_MS, () => {
        throw thrown
      })
      systemClock.alarm(SOON_MS, resolve)
    })
    for (const listener of own) process.on('uncaughtException', listener)
    expect(caught).toEqual([thrown])
  })

  it('serves a duration again whose timer was let go for others', async () => {
    await untilRunnerRests()
    const before = timers()
    await systemClock.sleep(SOON_MS)
    systemClock.alarm(SOON_MS, () => {}).stop()
    const alarms = Array.from({ length: 100 }, (_, index) => systemClock.alarm(NEVER_MS + index, () => {}))
    expect(timers()).toBe(before + alarms.length)
    for (const alarm of alarms) alarm.stop()
    expect(timers()).toBe(before)
    const slept = systemClock.sleep(SOON_MS)
    for (const alarm of alarms) alarm.stop()
    expect(timers()).toBe(before + 1)
    await expect(slept).resolves.toBeUndefined()
    expect(timers()).toBe(before)
  })

  it('finds what to let go without looking at all alarms', () => {
    const before = timers()
    const alarms = Array.from({ length: 100_000 }, (_, index) => systemClock.alarm(NEVER_MS + index, () => {}))
    // Who looked at each that is pending would take longer than a test may.
    for (const alarm of alarms.reverse()) alarm.stop()
    expect(timers()).toBe(before)
  })

  it('serves a duration whose timer is let go for others while it rings', async () => {
    await untilRunnerRests()
    const before = timers()
    await new Promise<void>((resolve) => {
      systemClock.alarm(SOON_MS, () => {
        second.stop()
        const others = Array.from({ length: 100 }, (_, index) => systemClock.alarm(NEVER_MS + index, () => {}))
        for (const other of others) other.stop()
        systemClock.alarm(SOON_MS, resolve)
      })
      const second = systemClock.alarm(SOON_MS, () => {})
    })
    expect(timers()).toBe(before)
  })

  it('rings as soon as it can where the duration is no number', async () => {
    await expect(systemClock.sleep(Number.NaN)).resolves.toBeUndefined()
  })

  it('ends a sleep early, without an error, when its signal aborts', async () => {
    const before = timers()
    const stop = new AbortController()
    const slept = systemClock.sleep(NEVER_MS, stop.signal)
    stop.abort()
    await expect(slept).resolves.toBeUndefined()
    expect(timers()).toBe(before)
  })

  it('takes durations that no timer of Node does', () => {
    const before = timers()
    const rung: string[] = []
    const alarm = systemClock.alarm(2 ** 40, () => rung.push('early'))
    expect(timers()).toBe(before + 1)
    alarm.stop()
    expect(timers()).toBe(before)
    expect(rung).toEqual([])
  })
})
