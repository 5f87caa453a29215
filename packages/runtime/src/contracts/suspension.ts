import type { Ms } from './ids.ts'
import type { Json, JsonObject } from './json.ts'

// One for all copies of this package in a process: a tool may have been built against another one.
const SUSPENSION = Symbol.for('holdfast.suspension')

/** What a call waits for that has let go of its process. */
export interface SuspendedWait {
  /** `external`: a result that the host brings; `approval`: a person approves or refuses; `question`: a person answers. */
  readonly kind: SuspensionKind
  /** What whoever decides is shown, at most 64 KiB of JSON. A question has a `question`, and may have `options`: a list of texts. */
  readonly subject: JsonObject
  /** JSON Schema of the answer: another one is refused, and the wait stays open. Not for an approval. */
  readonly schema?: JsonObject
  /** How long is waited, by the store's clock; then the call has expired and is not started again. Default: for ever. */
  readonly expiresInMs?: Ms
}

/** The kinds of waits that a tool can ask for. */
export type SuspensionKind = 'external' | 'approval' | 'question'

/** What a tool returns that waits inside its own work: a value, never an exception. */
export interface Suspension {
  readonly [SUSPENSION]: true
  readonly wait: SuspendedWait
  readonly state: Json
}

/** What a leg of a call goes on with. */
export interface Resumed {
  /** What the leg before it kept. */
  readonly state: Json
  /** What was answered; `true` for an approval. */
  readonly answer: Json
}

/**
 * Lets go of the process in the middle of a call: `return suspend({ wait, state })`. It is committed, the wait opens, and when that is decided the
 * tool is started again, in any process, with `context.resumed`. Each such start is a *leg*, with a key, a deadline and tries of its own. A refusal, the
 * end of the time and a cancel end the call without another leg. `state` is JSON without secrets, at most 256 KiB.
 */
export function suspend({ wait, state }: { readonly wait: SuspendedWait; readonly state: Json }): Suspension {
  return Object.freeze({ [SUSPENSION]: true as const, wait, state })
}

/** Whether a tool's value is a suspension. What is in it is not checked. */
export function isSuspension(value: unknown): value is Suspension {
  return typeof value === 'object' && value !== null && Reflect.get(value, SUSPENSION) === true
}
