import type { Approval } from './approval.ts'
import type { Budget } from './budget.ts'
import type { Effect } from './fact.ts'
import type { Grants } from './grants.ts'
import type { HookEntry } from './hook.ts'
import type { Digest, Ms } from './ids.ts'
import type { InitialPrompt } from './initial-prompt.ts'
import type { Json, JsonObject } from './json.ts'
import type { PermissionRule } from './permission-rule.ts'
import type { PublishedPlugin } from './plugin.ts'

/** A model by its provider, or a profile of the configuration. */
export type ModelCandidate =
  | { readonly provider: string; readonly model: string; readonly options?: JsonObject; readonly settings?: ModelSettings }
  | { readonly ref: string; readonly options?: JsonObject; readonly settings?: ModelSettings }

/** Which model a definition asks for, and which ones stand in, in their order, where it cannot answer. */
export type ModelReference = ModelCandidate & { readonly fallbacks?: readonly ModelCandidate[] }

/** Settings that every provider knows. */
export interface ModelSettings {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly stopSequences?: readonly string[]
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string }
  readonly maxOutputTokens?: number
}

/** A tool as the publication freezes it. Code is found by `identity`; the descriptor decides what the model sees and what a crash leaves. */
export interface ToolDescriptor {
  /** What grants name: `host:` or `os:` + name, `plugin:` + plugin + `/` + name, `agent:task_complete`. */
  readonly identity: string
  /** The name that the model sees. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, always of type object. */
  readonly inputSchema: JsonObject
  readonly effect: Effect
  readonly parallelSafe: boolean
  readonly timeoutMs: Ms
  /** Held for a decision, whatever the code of the tool says. */
  readonly approval?: Approval
  /** Its code can say what became of a call. */
  readonly reconcile?: true
  /** A person is asked where nobody knows what became of a call. Absent: the model is told. */
  readonly onUnknown?: 'ask'
  /** Declared by the tool, else the digest of this descriptor. */
  readonly version: string
}

/** Bounds of a run. Every number is a positive integer (`maxRetries` may be 0: never again); absent ones take the default of `DEFAULT_LIMITS`, or none. */
export interface Limits {
  readonly maxTurns?: number
  /**
   * What the last turn that `maxTurns` allows is for. `answer` (default): its tools are shown to the model, and none may be called, so that the run can
   * end with an answer. `tools`: it is like any other. The first turn of a run always is.
   */
  readonly lastTurn?: 'answer' | 'tools'
  readonly maxToolCallsPerIteration?: number
  readonly maxOutputBytes?: number
  /** Bytes of JSON of all that a request shows; a longer one is not sent, and the run fails. */
  readonly maxInputBytes?: number
  readonly providerTimeoutMs?: Ms
  readonly toolTimeoutMs?: Ms
  readonly runTimeoutMs?: Ms
  /** How many identical calls in a row (same tool, same arguments) end the run. */
  readonly maxRepeatedCalls?: number
  /** How often a failed model call is tried again. */
  readonly maxRetries?: number
  /** How many calls of one turn run at the same time. */
  readonly maxParallelCalls?: number
}

/** A declared variable of a manifest. */
export interface VariableDeclaration {
  readonly key: string
  readonly type: 'string' | 'number' | 'boolean' | 'object' | 'array' | 'json'
  readonly value?: Json
  readonly requiresOverride?: boolean
  readonly description?: string
}

/** An agent that another one may start: a file, relative to its own, or a name that the configuration registers. */
export interface AgentEntry {
  readonly name: string
  readonly ref: string
  readonly description?: string
}

/** What becomes of children that still run when the run of their parent ends. */
export type ChildrenAtEnd = 'await' | 'cancel' | 'detach'

/** A definition, resolved and frozen: no comments, no secrets, no code. Canonical JSON of it gives the digest. */
export interface Definition {
  readonly name: string
  readonly description?: string
  readonly model: ModelReference
  /** A template. */
  readonly systemPrompt?: string
  /** A template: the first message of a run that is started without one. */
  readonly prompt?: string
  /** What its threads begin with. */
  readonly initialPrompts?: readonly InitialPrompt[]
  readonly variables: readonly VariableDeclaration[]
  readonly tools: readonly ToolDescriptor[]
  readonly limits: Limits
  /** What each thread of it may spend, unless its start says otherwise. */
  readonly budget?: Budget
  readonly outputSchema?: JsonObject
  /** One layer of rules. */
  readonly permissions?: readonly PermissionRule[]
  /** What it asks for, in normal form. Absent: whatever it is given. */
  readonly grants?: Grants
  readonly agents?: readonly AgentEntry[]
  /** Absent: `await`. */
  readonly children?: ChildrenAtEnd
  /** Hooks of the host that look at its runs, inside of those that look at all. */
  readonly hooks?: readonly HookEntry[]
  /** Plugins of the host, in their order. Their hooks look before those of `hooks`. */
  readonly plugins?: readonly PublishedPlugin[]
}

/** A frozen definition under its digest. Immutable; a run keeps its publication through waits, restarts and retries. */
export interface Publication {
  readonly digest: Digest
  readonly definition: Definition
}
