// Code of the user shares the process: what ends it before the command does must not look like an end of the run.
import { inspect } from 'node:util'
import type { CommandContext } from './command-context.ts'
import type { StrayEnd } from './command-io.ts'
import { findFrame, toPlaceText, toText } from './module-place.ts'
import { REMEDIES } from './remedies.ts'

/** An error that nothing catches. What it says of itself may be its own code. */
export function toStrayThrow(error: unknown): StrayEnd {
  const said = error instanceof Error ? read(error, 'message') : error
  const stack = error instanceof Error ? read(error, 'stack') : undefined
  const lines = typeof stack === 'string' ? stack.split('\n') : []
  return { ...toEnd(`Nothing catches an error: ${toText(said).replace(/\.$/, '')}`, lines), stack: toShown(error) }
}

function read(error: Error, field: 'message' | 'stack'): unknown {
  try {
    return error[field]
  } catch {
    return 'it has a message that cannot be read'
  }
}

/** A call of `process.exit`. To be asked within its listener, whose stack leads to the caller. */
export function toStrayExit(): StrayEnd {
  return toEnd('process.exit was called before the command was done', new Error().stack?.split('\n') ?? [])
}

/** Tells a person and a script how the command ends, what it has done, and how the thread that it drives goes on. Gives the exit code. */
export function tellStrayEnd({ report, stack }: StrayEnd, { output, interruption }: CommandContext): number {
  const { goesOn, about } = interruption.held
  const details = { ...report.details, ...about, ...(goesOn === undefined ? {} : { resume: goesOn }) }
  output.release()
  output.fail({ ...report, details })
  if (goesOn !== undefined) output.notice(`  Go on with: ${goesOn}`)
  if (stack !== undefined) output.notice(stack)
  return interruption.strayExitCode
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
