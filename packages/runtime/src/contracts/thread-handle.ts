import type { Json } from './json.ts'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { BudgetChange, BudgetStatus } from './budget.ts'
import type { Cursor, HoldfastEvent } from './event.ts'
import type { Commit } from './fact.ts'
import type { ForkedCall } from './fork.ts'
import type { Grants } from './grants.ts'
import type { CallId, ItemId, Ms, RunId, ThreadId, TurnId } from './ids.ts'
import type { Part } from './message.ts'
import type { Publication } from './publication.ts'
import type { RunInfo, ThreadInfo } from './store.ts'
import type { TurnRecord } from './turn-record.ts'
import type { CancelReceipt, ItemReceipt, MessageOptions, MessageReceipt } from './receipt.ts'
import type { RunResult } from './run-result.ts'

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

/** Where a reader of events begins. Default: the start of the thread. */
export interface EventsOptions {
  readonly after?: Cursor
  /** Go on after the run has come to rest. Default false: the stream ends with `run.settled`. */
  readonly follow?: boolean
  /** Of large bodies that are kept as artifacts: all (default), or only their beginning, and then they are not read. */
  readonly bodies?: 'preview' | 'whole'
  readonly signal?: AbortSignal
}

/** How it is waited for a thread. */
export interface SettledOptions {
  readonly signal?: AbortSignal
  /**
   * Only what this runtime has made of the thread is an answer. Where another worker takes it over meanwhile there is none: whoever drives the
   * thread handles what comes of it, and here it would be handled twice. Default false: whoever brings it to rest.
   */
  readonly here?: boolean
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
  /**
   * Committed events as they stand in the log, deltas between them, and the end of the run. Deltas are best effort: who comes in the middle of an answer
   * that nobody has watched is shown all of it, who comes to others is shown what follows, and the committed event has the whole.
   */
  events(options?: EventsOptions): AsyncIterable<HoldfastEvent>
  /**
   * Waits until the thread is at rest, driving it here when nobody else does and it was started, messaged or resumed here. One that was not is only
   * waited for, in a runtime without `recover`: a run whose process died goes on when somebody calls `resume`. That nobody drives it is told after some
   * seconds, as a warning of `logger`, or of the process where there is none; the waiting goes on, since another process may come. Where the
   * store fails for longer than some seconds to hand the thread out (a full disk), its error is thrown; the thread is asked for again meanwhile. With `here` it throws
   * `thread_taken` (details: `worker`, and `leaseUntil` while that one owns it) when another worker has taken the thread from this runtime.
   */
  settled(options?: SettledOptions): Promise<RunResult>
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
   * Drives the thread in this process. An owner that was a process of this machine and is gone is replaced at once. Throws `thread_busy` (details:
   * `worker`, `leaseUntil`, and `life`: `alive`, or `unknown` where that cannot be seen from here) when another worker owns it with a live
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
  /** What plugins keep in the thread, as of its last commit: by the name of the plugin and key, what somebody has set. */
  pluginState(): Promise<{ readonly [plugin: string]: { readonly [key: string]: Json } }>
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
