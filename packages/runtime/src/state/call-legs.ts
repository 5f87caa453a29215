import type { Call } from './state.ts'

/** Whether what a call waited for is there, and its next leg has not begun. */
export function hasNextLeg({ resumed, started }: Call): boolean {
  return resumed !== null && started !== null && resumed.leg > started.leg
}

/** Whether a call that was started does not run now, wherever: somebody must decide first, or it waits for a place. */
export function isLetGo(call: Call): boolean {
  return call.suspended !== null || call.wait !== null || call.outcome !== null || hasNextLeg(call)
}

/** The start of a call that comes next. */
export function nextStart(call: Call): { readonly try: number; readonly leg: number } {
  const { started, resumed } = call
  if (started === null) return { try: 1, leg: 1 }
  if (resumed !== null && hasNextLeg(call)) return { try: 1, leg: resumed.leg }
  return { try: started.try + 1, leg: started.leg }
}
