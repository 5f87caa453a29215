import type { AgentTool } from './agent-tool.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from './artifact.ts'
import type { RuntimeArtifacts } from './artifact-api.ts'
import type { Budget } from './budget.ts'
import type { Clock, IdSource } from './clock.ts'
import type { ApproveOptions, Decision, DecisionPolicy, DecisionReceipt } from './decision.ts'
import type { EventSink } from './event-sink.ts'
import type { ForkOptions } from './fork.ts'
import type { GrantsInput } from './grants.ts'
import type { HookEntry, HookOptions } from './hook.ts'
import type { Ms, Principal, ThreadId, WaitId } from './ids.ts'
import type { InitialPrompt } from './initial-prompt.ts'
import type { Json, JsonObject } from './json.ts'
import type { Labels } from './labels.ts'
import type { Part } from './message.ts'
import type { LanguageModel, ModelResolver } from './model.ts'
import type { PermissionRule } from './permission-rule.ts'
import type { Plugin, PluginEntry } from './plugin.ts'
import type { ModelPrice } from './price.ts'
import type { AgentEntry, ChildrenAtEnd, Limits, ModelReference, Publication, VariableDeclaration } from './publication.ts'
import type { Page, ThreadQuery, WaitQuery } from './query.ts'
import type { RecordSink } from './record-sink.ts'
import type { SecretRegistry } from './secrets.ts'
import type { Store, ThreadInfo } from './store.ts'
import type { WaitRow } from './wait.ts'
import type { Logger, Tool } from './tool.ts'
import type { ForkHandle, RunHandle, ThreadHandle } from './thread-handle.ts'

/** An agent as its author writes it, in code or as a manifest. */
export interface AgentDefinition {
  readonly name: string
  readonly description?: string
  readonly model: ModelReference
  readonly systemPrompt?: string
  readonly prompt?: string
  /**
   * What each thread begins with, before its first message and before a model is asked: texts, and calls with their results. The calls are
   * judged, held and recorded as those of a model are.
   */
  readonly initialPrompts?: readonly InitialPrompt[]
  readonly variables?: readonly VariableDeclaration[]
  readonly tools?: readonly (AgentTool | Tool<never>)[]
  readonly limits?: Limits
  /** What each thread of it may spend, in all its runs. A start may say otherwise. */
  readonly budget?: Budget
  /** JSON Schema, or a Standard Schema that can give one. */
  readonly outputSchema?: JsonObject | StandardSchemaV1
  /** One layer of permission rules; the strictest of all layers says what becomes of a call. */
  readonly permissions?: readonly PermissionRule[]
  /** What it asks for; it never has more than it is given. Default: all that it is given. */
  readonly grants?: GrantsInput
  /** Agents that it may start. Kept with the publication; no tool starts them yet. */
  readonly agents?: readonly AgentEntry[]
  readonly children?: ChildrenAtEnd
  /** Hooks that the host registers, in their order: a name, or a name with options. */
  readonly hooks?: readonly (string | HookEntry)[]
  /** Plugins that the host registers, in their order: a name, or a name with options. Their tools are added to `tools`. */
  readonly plugins?: readonly (string | PluginEntry)[]
  readonly metadata?: JsonObject
}

/** What a runtime is made of. */
export interface RuntimeOptions extends HookOptions {
  readonly store: Store
  /** Where bodies are kept that are too large for a commit (more than 64 KiB of JSON). Default: the store's own place. Give it again with the same store. */
  readonly artifacts?: ArtifactStore
  /** Tools that definitions may name. Tools given in a definition itself are known, too. */
  readonly tools?: readonly Tool<never>[]
  /** Plugins that definitions may name. Those of a thread must be registered wherever it is driven. */
  readonly plugins?: readonly Plugin[]
  /** Models by profile name, or a function that finds one. */
  readonly models?: ModelResolver | { readonly [ref: string]: LanguageModel }
  /**
   * Prices above those that come with the runtime: what a call costs, and with that a run. The key is what the definition calls the
   * model (a name of `models`), else `provider/model` or `model` alone, with the provider that the model object names, without
   * its interface: `openai` for `openai.responses`. A rate that is left out is not known, not nothing. A model without a price
   * costs `unknown`; the scripted model costs nothing.
   */
  readonly prices?: { readonly [model: string]: ModelPrice }
  /** Drive every thread of the store that is ready, not only those that this runtime was asked about. Default false. */
  readonly recover?: boolean
  /** How many threads are driven at once. Default 256; 0: none, this runtime only starts, delivers and looks. */
  readonly concurrency?: number
  /** How long a dead owner blocks its threads. Default 10,000. */
  readonly leaseMs?: Ms
  /**
   * How often in a row a thread may lose its owner without getting on. Then it is set aside: its run waits (kind `quarantine`) until a person
   * approves another try or refuses, which ends the run as failed. Getting on is an answer, a settled call, a wait, an end. Default 5.
   */
  readonly crashBudget?: number
  readonly tenant?: string
  /** Who acts through this runtime. Default: the host. */
  readonly principal?: Principal
  readonly clock?: Clock
  readonly ids?: IdSource
  readonly logger?: Logger
  /**
   * Values that must not stand in anything that is kept or shown. Default: none. What models say, tools give and callers send is kept and passed on
   * without them; a call whose arguments hold one is blocked (`secret_in_arguments`); a definition that holds one is refused.
   */
  readonly secrets?: SecretRegistry
  /**
   * What threads may do that are driven here, at most: a thread holds what it was made with and what is granted here today. Default: all tools, models,
   * connections and agents of this runtime, and of the machine what these tools need. Throws `invalid_input` for what cannot be read.
   */
  readonly grants?: GrantsInput
  /**
   * The host's rules about calls, those of today. A call that a definition's rules allow is still denied, or held, when these say so. Throws
   * `invalid_input` for what cannot be read.
   */
  readonly permissions?: readonly PermissionRule[]
  /** Who may decide about waits, beside what always holds: never a model, an agent or the runtime. Default: whoever acts through this runtime. */
  readonly mayDecide?: DecisionPolicy
  /** Observe the events of all threads that are driven here. `close` waits until they have been given what there is. */
  readonly sinks?: readonly EventSink[]
  /** Are given a record of every turn of a thread that is driven here, as soon as it is over. `close` waits as for `sinks`. */
  readonly records?: readonly RecordSink[]
}

/** What a run is started with. */
export interface StartOptions {
  /** The first message. Absent: the definition's `prompt`. */
  readonly input?: string | readonly Part[]
  /** Overrides of declared variables, whole values by exact key. */
  readonly variables?: { readonly [key: string]: Json }
  /** The same key again returns the thread that it made; other content under the same key is a conflict. */
  readonly idempotencyKey?: string
  /** What the thread is filed under: at most 16, keys of 63 and values of 256 characters, kept with it and shown in lists. */
  readonly labels?: Labels
  /** What the thread may do, for good: of what the runtime grants and what the definition asks for. Default: all of that. */
  readonly grants?: GrantsInput
  /** What the thread may spend in all its runs, by field above what the definition says. Throws `invalid_input` for what is no budget. */
  readonly budget?: Budget
}

/** What an import did: a thread that was there, with the same log at its beginning, is left as it is. */
export interface ImportReceipt {
  readonly thread: ThreadId
  readonly state: 'imported' | 'repeated'
}

/** The runtime: everything that the command, a server or a program does goes through it. */
export interface Runtime extends AsyncDisposable {
  readonly artifacts: RuntimeArtifacts
  /** Resolves and freezes a definition, and keeps it in the store. Throws `invalid_manifest`, `tool_unknown`. */
  publish(agent: AgentDefinition): Promise<Publication>
  /** Makes a thread, which this process drives. Throws as `publish`, and `model_not_granted` (details: `models`) for models that its grants leave out. */
  start(agent: AgentDefinition, options?: StartOptions): Promise<RunHandle>
  thread(id: ThreadId): ThreadHandle
  /**
   * Makes a thread with the past of another one: its commits up to a place, and then what is changed. Nothing that was done is done again: a call
   * that was begun ends as it ended there, or as `unknown`; one that waits for a decision waits again under a new id. The fork has the
   * same grants and labels, spends from nothing, and takes over no pending items, budgets and monitors. One transaction. It is driven here
   * as a thread that was started here. Throws `invalid_input` for a place or a call that is none, `conflict` for another fork under the key, and what
   * `start` throws for models.
   */
  fork(thread: ThreadId, options?: ForkOptions): Promise<ForkHandle>
  threads(query?: Omit<ThreadQuery, 'tenant'>): Promise<Page<ThreadInfo>>
  /** Everything that waits for a person, of all threads, whoever drives them. */
  waits(query?: Omit<WaitQuery, 'tenant'>): Promise<Page<WaitRow>>
  /**
   * Decides about a wait, once, in any process: what is approved runs at most once, and exactly as it was shown or with these arguments. What became of
   * it is a value. Throws `forbidden` when this principal may not decide.
   */
  decide(wait: WaitId, decision: Decision): Promise<DecisionReceipt>
  /** `decide` with an approval. */
  approve(wait: WaitId, options?: ApproveOptions): Promise<DecisionReceipt>
  /** `decide` with a refusal; the model reads the reason word for word. */
  deny(wait: WaitId, options?: { readonly reason?: string }): Promise<DecisionReceipt>
  /** `decide` with the answer to a question. */
  answer(wait: WaitId, answer: Json): Promise<DecisionReceipt>
  /**
   * Makes a thread from its export, at its attempt and nobody's; its open waits can be decided. The same export again changes nothing. What
   * stands in it is believed as far as digests and the rules of the log go: who wrote the file may have made up approvals. Throws
   * `invalid_input` (details: `line`), `log_corrupt`, `format_unknown`, and `conflict` when there is another thread under its id or key.
   */
  import(pieces: AsyncIterable<string> | Iterable<string>): Promise<ImportReceipt>
  /**
   * Stops driving: starts nothing new, gives running tools `graceMs` (default 5,000), drops model calls after `modelGraceMs` (default the
   * same), releases every thread. Cancels nothing; `start`, `resume` and `settled` give
   * `runtime_closed` from then on, messages are still kept for whoever drives their thread next. The store stays open unless the runtime made it.
   */
  close(options?: { readonly graceMs?: Ms; readonly modelGraceMs?: Ms }): Promise<void>
}
