import type { Fact } from '../contracts/fact.ts'
import type { Planned } from '../contracts/heart.ts'

const NONE: readonly never[] = []

/** Nothing to do until an item arrives. */
export const IDLE: Planned = { facts: NONE, send: NONE, spawn: NONE, open: NONE, close: NONE, actions: NONE, timer: null, rest: true }

/** A plan of facts only. */
export function follows(facts: readonly Fact[], more: Partial<Pick<Planned, 'open' | 'close'>> = {}): Planned {
  return { facts, send: NONE, spawn: NONE, open: more.open ?? NONE, close: more.close ?? NONE, actions: NONE, timer: null, rest: false }
}

/** A plan of effects only. */
export function acts(actions: Planned['actions'], timer: number | null = null): Planned {
  return { facts: NONE, send: NONE, spawn: NONE, open: NONE, close: NONE, actions, timer, rest: false }
}

/** A plan to rest. */
export function rests(timer: number | null): Planned {
  return { ...IDLE, timer }
}
