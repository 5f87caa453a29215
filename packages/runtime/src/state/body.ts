import { HoldfastError } from '../contracts/errors.ts'
import type { Body } from '../contracts/message.ts'

/** The value of a body that stands in the fact itself. Throws `artifact_missing` when it was spilled and not loaded. */
export function inlineOf<T>(body: Body<T>): T {
  if ('inline' in body) return body.inline
  throw new HoldfastError('artifact_missing', `expected an inline body, found the artifact ${body.artifact}, which is not loaded`)
}
