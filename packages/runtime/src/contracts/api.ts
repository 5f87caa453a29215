import type { AgentTool } from './agent-tool.ts'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ArtifactStore } from './artifact.ts'
import type { RuntimeArtifacts } from './artifact-api.ts'
import type { Budget, BudgetChange, BudgetStatus } from './budget.ts'
import type { Clock, IdSource } from './clock.ts'
import type { ApproveOptions, Decision, DecisionPolicy, DecisionReceipt } from './decision.ts'
import type { Cursor, HoldfastEvent } from './event.ts'
import type { EventSink } from './event-sink.ts'
import type { Commit, Fault, RunEnd } from './fact.ts'
import type { ForkedCall, ForkOptions } from './fork.ts'
import type { Grants, GrantsInput } from './grants.ts'
import type { HookEntry, HookOptions } from './hook.ts'
import type { CallId, ItemId, Ms, Principal, RunId, ThreadId, TurnId, WaitId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { Labels } from './labels.ts'
import type { Part } from './message.ts'
import type { LanguageModel, ModelResolver } from './model.ts'
import type { PermissionRule } from './permission-rule.ts'
import type { ModelPrice } from './price.ts'
import type { AgentEntry, ChildrenAtEnd, Limits, ModelReference, Publication, VariableDeclaration } from './publication.ts'
import type { Page, ThreadQuery, WaitQuery } from './query.ts'
import type { RecordSink } from './record-sink.ts'
import type { SecretRegistry } from './secrets.ts'
import type { RunInfo, Store, ThreadInfo } from './store.ts'
import type { WaitRow } from './wait.ts'
import type { Logger, Tool } from './tool.ts'
import type { TurnRecord } from './turn-record.ts'
import type { Cost, Usage } from './usage.ts'

/** An agent as its author writes it, in code or as a manifest. */
export interface AgentDefinition {
  readonly name: string
  readonly description?: string
  readonly model: ModelReference
  readonly systemPrompt?: string
  readonly prompt?: string
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
  readonly metadata?: JsonObject
}

/** What a runtime is made of. */
export interface RuntimeOptions extends HookOptions {
  readonly store: Store
  /** Where bodies are kept that are too large for a commit (more than 64 KiB of JSON). Default: the store's own place. Give it again with the same store. */
  readonly artifacts?: ArtifactStore
  /** Tools that definitions may name. Tools given in a definition itself are known, too. */
  readonly tools?: readonly Tool<never>[]
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
   * connections and agents of this runtime, and nothing of the machine. Throws `invalid_input` for what cannot be read.
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

/** How a run came to rest. */
export type SettledStatus = RunEnd | 'waiting'

/** What became of a run when it came to rest. Always a value, whatever happened. */
export interface RunResult {
  readonly thread: ThreadId
  readonly run: RunId
  readonly status: SettledStatus
  /** The validated output, when the definition has a schema or the agent called `task_complete`. */
  readonly output?: Json
  /** The final text. */
  readonly text?: string
  readonly error?: Fault
  /** Which limit stopped it, or why it was cancelled. */
  readonly stopReason?: string
  /** What a waiting run waits for. */
  readonly waits: readonly WaitRow[]
  readonly usage: Usage
  readonly cost: Cost
  readonly subtreeCost: Cost
}

/** What an import did: a thread that was there, with the same log at its beginning, is left as it is. */
export interface ImportReceipt {
  readonly thread: ThreadId
  readonly state: 'imported' | 'repeated'
}

/** What a model was given at one try of a turn. The request is the one of the provider interface, without its signal. */
export interface TurnPrompt {
  readonly run: RunId
  readonly turn: TurnId
  readonly try: number
  /** As the definition names it. */
  readonly model: string
  readonly request: Omit<LanguageModelV4CallOptions, 'abortSignal'>
}

/** Something about a thread that does not follow from its log. `log`: a commit is missing, damaged or not readable; `artifacts`: a body that it names is. */
export interface ThreadProblem {
  readonly what: 'publication' | 'log' | 'artifacts' | 'row' | 'runs' | 'waits' | 'items'
  readonly message: string
  readonly sequence?: number
}

/** What a thread's data says about itself. */
export interface ThreadCheck {
  readonly thread: ThreadId
  /** How many commits were looked at. */
  readonly head: number
  /** None: all is well. */
  readonly problems: readonly ThreadProblem[]
}

/** How a message is sent. */
export interface MessageOptions {
  /** The same id again is the same message: it is delivered once. Default: a new one. */
  readonly id?: string
  /**
   * Aborts the model call that is under way, so that the message is read at once and not behind its answer. Tools that run go on, and the
   * message stands behind their results. Default false.
   */
  readonly interrupt?: boolean
}

/**
 * The first moment of what is sent: it is kept. The second one, taken or returned, follows as an event (`message.received` or
 * `message.returned`, with `item` as its cause), and `ThreadHandle.receipt` waits for it.
 */
export interface MessageReceipt {
  readonly item: ItemId
  readonly state: 'queued' | 'repeated'
  /** Names of the secrets that stood in the message and were taken out of it. */
  readonly redacted?: readonly string[]
}

/** A cancel that is kept; `ThreadHandle.receipt` tells what it did. */
export interface CancelReceipt {
  readonly item: ItemId
}

/**
 * What has become of an item of a thread's inbox, and where the log says so. `returned`: no run has read the message (the event holds its
 * text). `discarded`: it came too late to do anything.
 */
export type ItemReceipt =
  | { readonly item: ItemId; readonly state: 'queued' }
  | { readonly item: ItemId; readonly state: 'taken'; readonly run?: RunId; readonly cursor: Cursor }
  | { readonly item: ItemId; readonly state: 'returned' | 'discarded'; readonly why: string; readonly cursor: Cursor }

/** Where a reader of events begins. Default: the start of the thread. */
export interface EventsOptions {
  readonly after?: Cursor
  /** Go on after the run has come to rest. Default false: the stream ends with `run.settled`. */
  readonly follow?: boolean
  /** Of large bodies that are kept as artifacts: all (default), or only their beginning, and then they are not read. */
  readonly bodies?: 'preview' | 'whole'
  readonly signal?: AbortSignal
}

/** One thread: look at it, wait for it, send to it. Holds nothing open by itself. */
export interface ThreadHandle {
  readonly id: ThreadId
  /** Throws `thread_not_found`. */
  info(): Promise<ThreadInfo>
  runs(): Promise<readonly RunInfo[]>
  /**
   * A page of the log from a sequence on. Of a body that is kept as an artifact its beginning is given; with `bodies: 'whole'` all of it is read
   * (throws `artifact_missing`, `artifact_corrupt`).
   */
  log(from?: number, limitBytes?: number, options?: { readonly bodies?: 'preview' | 'whole' }): Promise<readonly Commit[]>
  events(options?: EventsOptions): AsyncIterable<HoldfastEvent>
  /** Waits until the thread is at rest, driving it here when nobody else does and it was started, messaged or resumed here. */
  settled(options?: { readonly signal?: AbortSignal }): Promise<RunResult>
  /** Puts a message into the inbox: read at the next turn boundary, or starts the next run. */
  message(input: string | readonly Part[], options?: MessageOptions): Promise<MessageReceipt>
  /**
   * Ends the run: its model call and its tools are aborted, and no model is asked after it. A tool that does not end within `graceMs` (default
   * 2,000) is settled as cancelled with what is known of its effect; whatever it gives later is dropped. Messages that came before it and were not read are returned.
   * Nothing happens to a thread that rests.
   */
  cancel(options?: { readonly reason?: string; readonly graceMs?: Ms }): Promise<CancelReceipt>
  /**
   * What has become of something that was sent: `queued` until the thread has taken it. With `wait` it is waited until that is known, which
   * takes as long as an approval is open before a message. Throws `invalid_input` for an item that the thread has never accepted.
   */
  receipt(item: ItemId, options?: { readonly wait?: boolean; readonly signal?: AbortSignal }): Promise<ItemReceipt>
  /**
   * Drives the thread in this process. Throws `thread_busy` (details: `worker`, `leaseUntil`) when another worker owns it with a live
   * lease, `thread_unplaceable` when something that it needs is missing here, `format_unknown` when a newer program has written to
   * it. With `takeover` a live owner is dispossessed: whoever it is, or only the worker of that id (of several that try so exactly one
   * succeeds).
   */
  resume(options?: { readonly takeover?: boolean | string }): Promise<void>
  /**
   * Starts the next run in place of the last one, which failed or was stopped. Without an input that is possible when the model owes an
   * answer: to a message or to results. Where it has said its last word an input is needed, as for any next run (`invalid_input`).
   * Throws `conflict` when there is nothing to retry. Several retries of one run make one.
   */
  retry(input?: string | readonly Part[]): Promise<MessageReceipt>
  /** What the thread may do here today: what it was made with, and of that what this runtime grants. Throws `grants_unreadable`. */
  grants(): Promise<Grants>
  /** How the thread stands with its budget, as of its last commit; null when it has none. Reads the log. */
  budget(): Promise<BudgetStatus | null>
  /**
   * Sets the budget, by field; null takes a bound away. A run that waits for its budget goes on as far as the new one goes, and waits again where that
   * is not far enough. Throws `forbidden` when this principal may not decide about such waits, `invalid_input` for what is no budget.
   */
  extendBudget(change: BudgetChange): Promise<MessageReceipt>
  /** The publication that the thread is pinned to. */
  publication(): Promise<Publication>
  /**
   * What the model was given at a turn, a number of the latest run or any turn's id; at its last try unless one is told. Built from facts
   * and publication (I19). Throws `invalid_input` when no model was asked there.
   */
  prompt(turn: number | TurnId, options?: { readonly try?: number }): Promise<TurnPrompt>
  /** The turns that are over, one record each, made from the log. Those that a fork has copied are the other thread's. */
  records(): AsyncIterable<TurnRecord>
  /**
   * The thread as a text in JSONL, line by line, byte for byte the same each time: header, publication, commits, accepted items. What is
   * made of it elsewhere is a second thread with the same past: decide about and drive only one of them. Throws `thread_busy` when it goes on all
   * the time.
   */
  export(): AsyncIterable<string>
  /** Compares everything that the store keeps of the thread with its log (I1). Reads all of it. Throws `thread_busy` as `export` does. */
  verify(): Promise<ThreadCheck>
  /**
   * Removes the thread with all that it had. False when there is none. Throws `thread_busy` when a live worker owns it, its run has
   * not come to rest, or something in its inbox has not been looked at; `conflict` for a thread below another one. With `unfinished` a thread
   * that nobody drives goes as it stands: what its run had begun is nobody's business any more.
   */
  remove(options?: { readonly unfinished?: boolean }): Promise<boolean>
}

/** A thread just started, with its first run. */
export interface RunHandle extends ThreadHandle {
  readonly thread: ThreadId
  readonly run: RunId
  /** False when the idempotency key named a thread that was there. */
  readonly created: boolean
  /** Names of the secrets that stood in the first message and in the variables, and were taken out of them. */
  readonly redacted?: readonly string[]
}

/** A thread made from the past of another one. */
export interface ForkHandle extends ThreadHandle {
  readonly thread: ThreadId
  /** Where it comes from, and the last commit that was copied. */
  readonly from: ThreadId
  readonly at: number
  /** False when the idempotency key named a thread that was there. */
  readonly created: boolean
  /** Calls that were open, and how they ended without being run again: as in the other thread, as given, or `unknown`. */
  readonly calls: readonly ForkedCall[]
  /** Calls that wait for a decision again, and that the other thread has run: whoever approves one runs it a second time. */
  readonly ran: readonly CallId[]
  /** Names of the secrets that stood in what was given, and were taken out of it. */
  readonly redacted?: readonly string[]
}

/** The runtime: everything that the command, a server or a program does goes through it. */
export interface Runtime extends AsyncDisposable {
  readonly artifacts: RuntimeArtifacts
  /** Resolves and freezes a definition, and keeps it in the store. Throws `invalid_manifest`, `tool_unknown`. */
  publish(agent: AgentDefinition): Promise<Publication>
  start(agent: AgentDefinition, options?: StartOptions): Promise<RunHandle>
  thread(id: ThreadId): ThreadHandle
  /**
   * Makes a thread with the past of another one: its commits up to a place, and then what is changed. Nothing that was done is done again: a call
   * that was begun ends as it ended there, or as `unknown`; one that waits for a decision waits again under a new id. The fork has the
   * same grants and labels, spends from nothing, and takes over no pending items, budgets and monitors. One transaction. It is driven here
   * as a thread that was started here. Throws `invalid_input` for a place or a call that is none, `conflict` for another fork under the key.
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
