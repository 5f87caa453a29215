import type { Approval } from './approval.ts'
import type { Effect } from './fact.ts'
import type { Grants, GrantsInput } from './grants.ts'
import type { CallId, Ms, RunId, ThreadId } from './ids.ts'
import type { Json } from './json.ts'
import type { PluginState } from './plugin-state.ts'
import type { Resumed } from './suspension.ts'
import type { ToolInput } from './tool-input.ts'

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
  /** Stays the same over tries and attempts of this call, and is another one for each leg: give it to whoever can absorb repeats. */
  readonly idempotencyKey: string
  readonly try: number
  /** Counts the starts of this call that follow a suspension: 1 until then. */
  readonly leg: number
  /** What this leg goes on with; absent in the first one. */
  readonly resumed?: Resumed
  /** What the thread may do here today; for a tool of a plugin, of that what its plugin declares. */
  readonly grants: Grants
  /** What the plugin of the tool keeps in this thread; of a tool of no plugin everything in it throws. */
  readonly state: PluginState
  /** Aborts on cancel, at the deadline and when the worker loses the thread. */
  readonly signal: AbortSignal
  /** When this start must have ended, on the wall clock of this process. Time spent held or suspended is not counted. */
  readonly deadline: Ms
  /** Shows progress to whoever watches; never stored. */
  progress(message: string): void
  readonly logger: Logger
}

/** What a tool is told that is asked what became of a start of its own. */
export interface ReconcileContext<Input = unknown>
  extends Pick<ToolContext, 'thread' | 'run' | 'call' | 'try' | 'leg' | 'resumed' | 'grants' | 'signal' | 'logger'> {
  /** What that start was given. */
  readonly input: Input
  /** When it was committed as started, on the store's clock. */
  readonly startedAt: Ms
  /** Whether its deadline has passed: only then `not_done` counts, since a process that has stopped may still be sending. */
  readonly final: boolean
}

/** What a tool knows of a start of its own. `result` is what the model reads, as if `execute` had returned it. */
export type Reconciled =
  | { readonly state: 'done'; readonly result: unknown }
  | { readonly state: 'not_done' }
  | { readonly state: 'unknown' }

/** What a tool's `approval` is told beside the arguments. */
export type ApprovalContext = Pick<ToolContext, 'thread' | 'run' | 'call'>

/** Judges the final arguments of one call. (Typed as a method, so that tools of any input fit into one list.) */
export type ApprovalFunction<Input> = { judge(input: Input, context: ApprovalContext): Approval | Promise<Approval> }['judge']

/**
 * One action that a model may ask for.
 *
 * **Contract** of `execute`: it may throw, and then the model reads the error and the run goes on; it must stop when `signal`
 * aborts; what it returns must be JSON (undefined reads as "(no output)") or what `suspend` gives. It is started at most once per call and leg when
 * `effect` is `once`, unless `reconcile` or a person says that it was not done.
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
  /** Whose tool it is, by which it is granted: `os` for those of the runtime that work with files and pages. Absent: the host's. */
  readonly origin?: 'os'
  /**
   * What of the machine it works with, at most: folders, hosts, variables. A run that is granted nothing of such a field cannot call it; what of it a call
   * may touch, `execute` judges by `context.grants`. A host that says nothing of grants grants what the tools that it gives its runtime need.
   */
  readonly needs?: ToolNeeds
  /** Whether a call is held until a person or the host decides; a function judges the final arguments. One that throws blocks the call. */
  readonly approval?: Approval | ApprovalFunction<Input>
  /** Where nobody knows what became of a call: the model is told so, or a person is asked. Default `tell`. */
  readonly onUnknown?: OnUnknown
  execute(input: Input, context: ToolContext): unknown
  /**
   * Finds out what became of a `once` call whose process has died.
   *
   * **Contract**: it changes nothing outside, may be asked several times, and stops when `signal` aborts. It says `done` or `not_done` only
   * when it knows; one that throws or takes too long is asked once more after the deadline of the call.
   */
  reconcile?(key: string, context: ReconcileContext<Input>): Reconciled | Promise<Reconciled>
}

/** The fields of grants that a tool may need something of. */
export type ToolNeeds = Pick<GrantsInput, 'files' | 'network' | 'env'>

/** What follows where nobody knows what became of a call. */
export type OnUnknown = 'tell' | 'ask'
