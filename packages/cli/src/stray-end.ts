// Code of the user shares the process: what ends it before the command does must not look like an end of the run.
import { inspect } from 'node:util'
import type { CommandContext } from './command-context.ts'
import type { StrayEnd } from './command-io.ts'
import { findFrame, toPlaceText, toText } from './module-place.ts'
import { REMEDIES } from './remedies.ts'

/** An error that nothing catches. */
export function toStrayThrow(error: unknown): StrayEnd {
  const { stack, message } = error instanceof Error ? error : { stack: undefined, message: error }
  const lines = typeof stack === 'string' ? stack.split('\n') : []
  return { ...toEnd(`Nothing catches an error: ${toText(message).replace(/\.$/, '')}`, lines), stack: toShown(error) }
}

/** A call of `process.exit`. To be asked within its listener, whose stack leads to the caller. */
export function toStrayExit(): StrayEnd {
  return toEnd('process.exit was called before the command was done', new Error().stack?.split('\n') ?? [])
}

/** Tells a person and a script how the command ends, and how the thread that it drives goes on. */
export function tellStrayEnd({ report, stack }: StrayEnd, { output, interruption }: CommandContext): void {
  const { goesOn } = interruption
  const details = goesOn === undefined ? report.details : { ...report.details, resume: goesOn }
  output.release()
  output.fail({ ...report, details })
  if (goesOn !== undefined) output.notice(`  Go on with: ${goesOn}`)
  if (stack !== undefined) output.notice(stack)
}

function toEnd(what: string, stack: readonly string[]): StrayEnd {
  const place = findFrame(stack)
  const message = `${what}${place === undefined ? '' : ` (${toPlaceText(place)})`}.`
  return { report: { code: 'process_ended', message, details: { ...place }, remedy: REMEDIES.process_ended } }
}

/** How an error is shown may be its own code. */
function toShown(error: unknown): string {
  try {
    return inspect(error)
  } catch {
    return toText(error)
  }
}
