import type { CallId, TurnId } from '../contracts/ids.ts'

/** The turn that a call belongs to. */
export function turnOf(call: CallId): TurnId {
  return call.slice(0, call.lastIndexOf('.'))
}

/** Its place in the turn, from 0. */
export function positionOf(call: CallId): number {
  return Number(call.slice(call.lastIndexOf('.') + 1))
}

/** Whether a definition has made it, and no model: turn 0 holds those. */
export function isInjected(call: CallId): boolean {
  return turnOf(call).endsWith('/0')
}
