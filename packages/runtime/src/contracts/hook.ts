import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { SinkEvent } from './event-sink.ts'
import type { Effect, RunStatus } from './fact.ts'
import type { CallId, Digest, ItemId, Ms, Principal, RunId, ThreadId, TurnId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { CallResult, Part } from './message.ts'
import type { PluginState } from './plugin-state.ts'
import type { Logger } from './tool.ts'
import type { Cost, Usage } from './usage.ts'

/** A hook that a definition names, with what it is told there. */
export interface HookEntry {
  readonly name: string
  readonly options?: JsonObject
}

/** What a hook is told beside what it looks at. */
export interface HookContext {
  readonly thread: ThreadId
  readonly run: RunId
  /** What it was named with in the definition. Absent for a hook of the host. */
  readonly options?: JsonObject
  /** What the plugin of the hook keeps in this thread; of a hook of no plugin everything in it throws. */
  readonly state: PluginState
  /** Aborts at the time limit, on cancel and when this worker loses the thread. */
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** A call as a hook is shown it: a copy, changes to it change nothing. */
export interface HookedCall {
  readonly call: CallId
  /** The name that the model uses. */
  readonly tool: string
  /** `host:` + name, `agent:` + name, `plugin:` + plugin + `/` + name. */
  readonly identity: string
  readonly effect: Effect
  readonly arguments: JsonObject
  /** Of the call with these arguments. A hook runs at least once for it: with `call` this tells a repeat. */
  readonly digest: Digest
  /** Present after an approval: the gate looks again, and a hook that changes the arguments now blocks the call. */
  readonly again?: true
  /** Present for a call of the definition's initial prompts: no model has asked for it. */
  readonly injected?: true
}

/** What a hook says of a call before it runs. Nothing: it goes on as it is. */
export type BeforeToolCall =
  /** These arguments instead. They are validated by the tool's schema, and rules, grants and approval judge them. */
  | { readonly do: 'modify'; readonly arguments: JsonObject }
  /** It does not run; the model reads the reason. */
  | { readonly do: 'block'; readonly reason: string }
  /** It does not run; the model reads this result. */
  | { readonly do: 'respond'; readonly result: Json }
  /** It is held until somebody decides, as by a tool's own `approval`. The strictest of all who ask counts. */
  | { readonly do: 'requireApproval'; readonly expiresInMs?: Ms; readonly quorum?: number }

/** A call that ran, with what it gave, as a hook is shown it: a copy. */
export interface HookedResult extends Omit<HookedCall, 'again'> {
  /** `error`: the tool failed, and says so. */
  readonly outcome: 'ok' | 'error'
  /** What the model would be shown now. */
  readonly result: CallResult
}

/** What a hook says of what a call gave. Nothing: the model is shown it as it is. What happened stays in the log. */
export type AfterToolCall =
  /** The model is shown this result instead. */
  | { readonly do: 'modify'; readonly result: Json }
  /** The model is shown the reason, as an error, and not the result. */
  | { readonly do: 'block'; readonly reason: string }

/** A message as a hook is shown it: a copy. */
export interface HookedMessage {
  readonly item: ItemId
  /** `start`: what the thread was made with. */
  readonly kind: 'start' | 'message' | 'interrupt'
  /** Who has sent it. */
  readonly source: Principal
  /** Its texts, as they would be seen now, one after the other. */
  readonly text: string
  /** All of it, as it would be seen now. */
  readonly parts: readonly Part[]
}

/** What a hook says of a message before it is taken. Nothing: it is taken as it is. */
export type OnMessage =
  /** This text is seen in place of all texts of the message. Its other parts stay, and so does what was said, in the log. */
  | { readonly do: 'modify'; readonly text: string }
  /** It goes back unread, as `blocked`. A run that it would have begun with fails with `hook_blocked`. */
  | { readonly do: 'block'; readonly reason: string }

/** What a model is about to be asked, as a hook is shown it: a copy. */
export interface HookedRequest {
  readonly turn: TurnId
  /** What facts call the model. */
  readonly model: string
  /** The messages of the request as they stand now: the system prompt first, last what hooks have added so far. */
  readonly prompt: LanguageModelV4Prompt
}

/** What a hook says before a model is asked. Nothing: it is asked as it is. */
export type BeforeInference =
  /** This text stands behind the last message of this turn's requests, and nowhere else: no later turn shows it. Another one of the same hook takes its place. */
  | { readonly do: 'modify'; readonly context: string }
  /** No model is asked, and the run fails with `hook_blocked`. */
  | { readonly do: 'block'; readonly reason: string }
  /** No model is asked: this is the answer. It costs nothing. */
  | { readonly do: 'respond'; readonly text: string }

/** An answer of a model as a hook is shown it: a copy. What was streamed of it while it came cannot be taken back. */
export interface HookedAnswer {
  readonly turn: TurnId
  /** What facts call the model that answered. */
  readonly model: string
  /** Its texts, as they would be seen now, one after the other. */
  readonly text: string
  /** All of it, as it would be seen now. */
  readonly parts: readonly Part[]
  /** The calls that it wants to make, in order: nothing has judged them yet. `input` is the text of the arguments. */
  readonly calls: readonly { readonly call: CallId; readonly tool: string; readonly input: string }[]
  readonly finish: string
  readonly usage: Usage
  readonly cost: Cost
}

/** What a hook says of an answer before it is seen and its calls are judged. Nothing: it goes on as it is. What happened stays in the log. */
export type AfterInference =
  /** This text is seen in place of all texts of the answer: by the model later, as the run's output, by its output schema. Its calls stay. */
  | { readonly do: 'modify'; readonly text: string }
  /** Nothing of the answer is seen, none of its calls runs, and the run fails with `hook_blocked`. It is paid for all the same. */
  | { readonly do: 'block'; readonly reason: string }
  /** Each of its calls is held until somebody decides. For an answer that has calls. */
  | { readonly do: 'requireApproval'; readonly expiresInMs?: Ms; readonly quorum?: number }

/** What an observer is told beside what it observes. */
export type ObserverContext = Omit<HookContext, 'thread' | 'run' | 'state'>

/** What one call of a model used and cost. */
export interface CostReport {
  readonly thread: ThreadId
  readonly run: RunId
  readonly turn: TurnId
  /** Absent for a try that gave no answer. */
  readonly model?: string
  readonly usage: Usage
  readonly cost: Cost
}

/** Another state of a thread, as lists show it. */
export interface StateChange {
  readonly thread: ThreadId
  readonly run?: RunId
  readonly status: RunStatus
  /** Absent for the first one that this process commits since it owns the thread: it may have been told before. */
  readonly previous?: RunStatus
  /** Of an end. */
  readonly why?: string
}

/** What a hook answers, at once or later. */
export type HookAnswer<Answer> = Answer | null | undefined | Promise<Answer | null | undefined>

/**
 * Code of the host that looks at what a thread does and may change it. The host gives its own (`RuntimeOptions.hooks`), which look at every
 * thread, and registers others (`registeredHooks`) that definitions name. They run in their order, those of the host around those of the
 * definition, of which those of its plugins come first: first before something, last after it.
 *
 * **Contract** of what may change a run: it answers in time, throws only when it cannot judge, and finds nothing to change in its own output; what throws, hangs
 * or answers something else blocks what it looks at, as a fault (I9). It may be asked more than once about the same thing.
 * What only observes is told behind the commit, one thing after another, in order, and is given copies; when it throws or takes too long
 * that is logged and the run goes on, and when it is too slow by 10,000 things the next ones are left out. What must not be missed belongs into an `EventSink`.
 */
export interface Hook {
  /** What facts and asks call it: letters, digits, `.`, `_` and `-`, at most 64. */
  readonly name: string
  /** How long each of its answers may take. Default 10,000. */
  readonly timeoutMs?: Ms
  /** Looks at a call that is known and whose arguments fit its schema, before rules, grants and approval judge it. */
  beforeToolCall?(call: HookedCall, context: HookContext): HookAnswer<BeforeToolCall>
  /** Looks at a message before it is taken: into the conversation, or as the answer to a question. */
  onMessage?(message: HookedMessage, context: HookContext): HookAnswer<OnMessage>
  /** Looks at what a model is about to be asked: once for a turn, and again when a message has come in between. */
  beforeInference?(request: HookedRequest, context: HookContext): HookAnswer<BeforeInference>
  /** Looks at an answer of a model, after that is committed and before it is seen and its calls are judged. */
  afterInference?(answer: HookedAnswer, context: HookContext): HookAnswer<AfterInference>
  /** Looks at what the tool of a call gave, after that is committed and before the model is shown it. */
  afterToolCall?(call: HookedResult, context: HookContext): HookAnswer<AfterToolCall>
  /** Observes what models used, also in tries that failed. */
  onCost?(report: CostReport, context: ObserverContext): void | Promise<void>
  /** Observes how threads that are driven here go on and come to rest. */
  onStateChange?(change: StateChange, context: ObserverContext): void | Promise<void>
  /** Observes what is committed and streamed here. Of a large body (more than 64 KiB of JSON) its beginning is given. */
  onEvent?(event: SinkEvent, context: ObserverContext): void | Promise<void>
}

/** The hooks that a runtime has. */
export interface HookOptions {
  /** Look at every thread that is driven here, around the hooks that its definition names. Default: none. */
  readonly hooks?: readonly Hook[]
  /** Hooks that definitions may name. Those of a thread must be registered wherever it is driven. */
  readonly registeredHooks?: readonly Hook[]
}
