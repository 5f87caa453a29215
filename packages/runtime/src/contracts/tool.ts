import type { Approval } from './approval.ts'
import type { Effect } from './fact.ts'
import type { Grants } from './grants.ts'
import type { CallId, Ms, RunId, ThreadId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** A logger as libraries take it. Never given a secret. */
export interface Logger {
  debug(message: string, data?: Json): void
  info(message: string, data?: Json): void
  warn(message: string, data?: Json): void
  error(message: string, data?: Json): void
}

/** What a tool is told about the call that it runs. */
export interface ToolContext {
  readonly thread: ThreadId
  readonly run: RunId
  readonly call: CallId
  /** Stays the same over tries and attempts of this call: give it to whoever can absorb repeats. */
  readonly idempotencyKey: string
  readonly try: number
  /** What the thread may do here today. */
  readonly grants: Grants
  /** Aborts on cancel, at the deadline and when the worker loses the thread. */
  readonly signal: AbortSignal
  /** On the wall clock of this process. */
  readonly deadline: Ms
  /** Shows progress to whoever watches; never stored. */
  progress(message: string): void
  readonly logger: Logger
}

/** What a tool's `approval` is told beside the arguments. */
export type ApprovalContext = Pick<ToolContext, 'thread' | 'run' | 'call'>

/** Judges the final arguments of one call. (Typed as a method, so that tools of any input fit into one list.) */
export type ApprovalFunction<Input> = { judge(input: Input, context: ApprovalContext): Approval | Promise<Approval> }['judge']

/**
 * One action that a model may ask for.
 *
 * **Contract** of `execute`: it may throw, and then the model reads the error and the run goes on; it must stop when `signal`
 * aborts; what it returns must be JSON (undefined reads as "(no output)"). It is started at most once per call when `effect` is `once`.
 */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: ToolInput<Input>
  readonly effect: Effect
  readonly parallelSafe: boolean
  readonly timeoutMs?: Ms
  /** What of a result the model is shown at most, in UTF-16 units. */
  readonly maxResultLength?: number
  readonly version?: string
  /** Whether a call is held until a person or the host decides; a function judges the final arguments. One that throws blocks the call. */
  readonly approval?: Approval | ApprovalFunction<Input>
  execute(input: Input, context: ToolContext): unknown
}

/** How a tool's arguments are described: a Standard Schema that can give JSON Schema, or JSON Schema itself. */
export type ToolInput<Input> =
  | { readonly kind: 'standard'; readonly schema: StandardSchemaV1<unknown, Input>; readonly jsonSchema: JsonObject }
  | { readonly kind: 'json'; readonly jsonSchema: JsonObject }
