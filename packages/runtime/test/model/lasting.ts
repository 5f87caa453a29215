import type { Fact } from '../../src/contracts/fact.ts'
import type { Cancelled, Running } from '../../src/contracts/heart.ts'
import type { Random } from './random.ts'
import type { Process, Scheduler } from './scheduler.ts'

/** Where an effect runs. */
export interface LastingWorld {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly process: Process
}

/** Ends an effect. */
export type Done = (facts: readonly Fact[]) => void
type Abort = Parameters<Running['abort']>[0]

interface Ends {
  outcome(): readonly Fact[]
  aborted(cancelled: Cancelled | undefined): readonly Fact[]
}

/** An effect of some duration. An abort is obeyed soon, late or not at all. */
export function lasting(world: LastingWorld, done: Done, durationMs: number, ends: Ends): Running {
  const { scheduler, process, random } = world
  let isOver = false
  const end = (facts: () => readonly Fact[]): void => {
    if (isOver) return
    isOver = true
    done(facts())
  }
  if (durationMs === 0) end(ends.outcome)
  else scheduler.after(process, durationMs, () => end(ends.outcome))
  return {
    abort: (reason: Abort, cancelled?: Cancelled) => {
      if (isOver || random.chance(0.2)) return
      if (reason === 'unwanted' && random.chance(0.1)) return end(() => ends.aborted(cancelled))
      scheduler.after(process, random.int(0, 40), () => end(() => (reason === 'unwanted' ? ends.aborted(cancelled) : [])))
    }
  }
}

/** An effect that is over before it begins. */
export function atOnce(done: Done, facts: readonly Fact[]): Running {
  done(facts)
  return { abort: () => {} }
}
