import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { ApprovalRule } from '../contracts/approval.ts'
import type { Budget } from '../contracts/budget.ts'
import type { CallOutcome, Effect, RunEnd, WaitKind } from '../contracts/fact.ts'
import type { Fault } from '../contracts/fault.ts'
import type { OutputCheck } from '../contracts/output-check.ts'
import type { Stamp } from '../contracts/heart.ts'
import type { HookAsk } from '../contracts/hook-fact.ts'
import type { CallId, Digest, Ms, RunId, Scope, ThreadId, TurnId, WaitId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { Body, CallResult } from '../contracts/message.ts'
import type { Publication } from '../contracts/publication.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import type { Admissions } from './admission.ts'
import type { CallReconciliation, CallResumption, CallSuspension, SaidOutcome } from './call-suspension.ts'
import type { GivenAnswer } from './given-answer.ts'
import type { InitialPrompts } from './initial-state.ts'
import type { Pinned } from './pinned.ts'
import { toPinned } from './pinned.ts'
import type { PluginValues } from './plugin-values.ts'
import type { PreparedRequest } from './prepared-request.ts'
import type { Spent } from './spent.ts'
import { newSpent } from './spent.ts'
import type { Aside, TurnFailure } from './turn-failure.ts'

/** What a person or a rule said about a held call. */
export type Verdict = 'run' | 'block' | 'respond' | 'hold'

/** One start of a call: the stamp tells by whom and when. */
export interface CallStart {
  readonly try: number
  readonly leg: number
  readonly effect: Effect
  readonly deadlineMs: Ms
  readonly stamp: Stamp
}

/** One tool call of the open turn. */
export interface Call {
  readonly id: CallId
  readonly tool: string
  /** The id under which the provider knows the call: the model's own when it gave a new one. */
  readonly wireId: string
  /** The arguments as the model wrote them. */
  readonly input: string
  verdict: Verdict | null
  arguments: Body | null
  digest: Digest | null
  verdictResult: CallResult | null
  /** Who asks for a decision, in the gate's last look at the call. */
  asks: readonly string[]
  /** Asks of earlier looks that a decision has answered. */
  answered: readonly string[]
  expiresAfterMs: Ms | null
  needed: number
  started: CallStart | null
  /** Its last leg has let go of its process; until the next one may begin. */
  suspended: CallSuspension | null
  /** What the leg that is started, or is to be, goes on with. */
  resumed: CallResumption | null
  /** What its tool said last of this start, which an older attempt made. */
  reconciled: CallReconciliation | null
  /** What a person said of it. */
  outcome: SaidOutcome | null
  /** Waits opened for this call so far. */
  waits: number
  wait: WaitId | null
  decision: 'approved' | 'denied' | 'expired' | null
  /** The commit in which its last wait ended. */
  decidedIn: number
  reason: string | null
  /** The arguments that the decision puts in place of the model's: the gate has not looked at them yet. */
  edited: Json | null
  /** Whether somebody else than the model wrote the arguments. */
  changed: boolean
  /** What a question was answered with, once its decision says that it was. */
  answer: Json
  settled: CallOutcome | null
  result: Body<CallResult> | null
  /** It has ended, and hooks are to look at its result before its turn is closed. */
  inReview: boolean
  /** What the model is shown in place of the result. */
  seen: Body<CallResult> | null
}

/** From this place of a history on, the answers are of this provider. */
export interface Author {
  readonly from: number
  readonly provider: string
}

/** The last turn of a conversation. It is open while its model call runs, or its answer or one of its calls is not settled or still looked at. */
export interface Turn {
  readonly id: TurnId
  readonly number: number
  /** `review`: hooks are to look at its answer. */
  phase: 'infer' | 'failed' | 'review' | 'calls' | 'closed'
  try: number
  stamp: Stamp
  /** The place of the model that is asked, among the candidates. */
  candidate: number
  /** What facts call it. */
  model: string
  /** Whether no tool may be called in it: it is the last one that the limit allows. */
  last: boolean
  /** The hook that answers it in place of a model. */
  hook: string | null
  /** Tokens that were set aside for its model call. */
  reserved: number
  /** Tries that failed for good or for a moment. */
  failures: TurnFailure[]
  /** Why the last try gave no answer. */
  failure: TurnFailure | null
  calls: Call[]
  /** How many of them are not settled, or still looked at. */
  open: number
  /** Its answer while hooks are to look at it. */
  given: GivenAnswer | null
  /** Hooks that want its calls held. */
  asks: readonly HookAsk[]
  /** Whether nothing of its answer is seen or run. */
  withheld: boolean
  /** Why the run ends with it. */
  refused: Fault | null
}

/** What the model said last, when it called nothing. */
export interface Answer {
  readonly text: string
  readonly finish: string
  readonly check: OutputCheck | null
}

/** One conversation with a model: a scope of the log. */
export interface Conversation {
  readonly scope: Scope
  /** What the model is shown, in order; append-only, shared by length. */
  readonly history: LanguageModelV4Message[]
  /** What initial prompts add to the system prompt, in order. */
  system: readonly string[]
  /** Those whose calls are not over; null when nothing stands between the thread and its first message. */
  initial: InitialPrompts | null
  /** Whose answers the history holds, in order. */
  readonly authors: Author[]
  /** Up to this place of the history, its tokens are known from what the last answer used. */
  measured: { readonly index: number; readonly tokens: number } | null
  /** Call ids already used on the wire. */
  readonly wireIds: Set<string>
  /** The model that was asked last. */
  asked: string | null
  turn: Turn | null
  /** What hooks have said of the next request of a turn, as long as nothing has come since. */
  prepared: PreparedRequest | null
  /** The last turn whose results became history, and where those stand there; the first of them is of the call at this position. */
  closed: { readonly turn: TurnId; readonly index: number; readonly first: number } | null
  answer: Answer | null
  /** The result that `task_complete` accepted. */
  completed: { readonly output: Json } | null
  emptyAnswers: number
  repairs: number
  repeated: { readonly digest: Digest; readonly count: number } | null
}

/** The latest run. */
export interface Run {
  readonly id: RunId
  readonly startedIn: number
  readonly stamp: Stamp
  status: 'running' | RunEnd
  why: string | null
  endedIn: number | null
  cancel: { readonly reason: string; readonly graceMs: Ms } | null
  /** What a person said who gave the run up. */
  givenUp: string | null
  /** Waits of this kind so far. */
  quarantines: number
  /** Whether a person refused to extend the budget. */
  budgetRefused: boolean
  /** Waits for budget so far. */
  budgetWaits: number
  turns: number
  usage: Usage
  cost: Cost
}

/** A wait that is open. */
export interface OpenWait {
  readonly id: WaitId
  readonly kind: WaitKind
  readonly scope: Scope
  readonly call: CallId | null
  readonly expiresAfterMs: Ms | null
  readonly stamp: Stamp
}

/** An approval that goes on to hold. */
export interface Remembered extends ApprovalRule {
  readonly for: 'run' | 'thread'
}

/**
 * All that is known of a thread: a fold over its facts, beside the publication that it pins. The driver owns it and `evolve`
 * reuses it; nothing in it grows with the thread but the history (and the set of call ids).
 */
export interface State extends Pinned {
  readonly thread: ThreadId
  /** Those that the log names: whoever reads it adds them before they are folded. */
  readonly publications: Map<Digest, Publication>
  readonly conversations: Map<Scope, Conversation>
  readonly waits: Map<WaitId, OpenWait>
  /** Models that have failed and not answered since, by what facts call them. */
  readonly aside: Map<string, Aside>
  /** What approvals have allowed beyond their call, for this run or for the thread. */
  remembered: readonly Remembered[]
  /** The first thread of the tree. */
  root: ThreadId
  /** The record of what it may do, as it was made with. */
  grants: Json
  run: Run | null
  variables: { readonly [key: string]: Body }
  /** What plugins keep; null: nothing was ever set. */
  plugins: PluginValues | null
  usage: Usage
  cost: Cost
  /** The limits that were set; null: those of the definition, when it has any. */
  budget: Budget | null
  readonly spent: Spent
  readonly admitted: Admissions
}

/** The state of a thread of which no fact is known yet. */
export function emptyState(thread: ThreadId, publication: Publication): State {
  return {
    thread,
    publications: new Map([[publication.digest, publication]]),
    ...toPinned(publication),
    conversations: new Map(),
    waits: new Map(),
    aside: new Map(),
    remembered: [],
    root: thread,
    grants: null,
    run: null,
    variables: {},
    plugins: null,
    usage: NO_USAGE,
    cost: 0,
    budget: null,
    spent: newSpent(),
    admitted: new Map()
  }
}

const NO_TEXTS: readonly string[] = []

/** The conversation of a scope, made when it is first spoken of. */
export function conversationOf(state: State, scope: Scope = ''): Conversation {
  const known = state.conversations.get(scope)
  if (known) return known
  const made: Conversation = {
    scope,
    history: [],
    system: NO_TEXTS,
    initial: null,
    authors: [],
    measured: null,
    wireIds: new Set(),
    asked: null,
    turn: null,
    prepared: null,
    closed: null,
    answer: null,
    completed: null,
    emptyAnswers: 0,
    repairs: 0,
    repeated: null
  }
  state.conversations.set(scope, made)
  return made
}

/** Whether a run is under way. */
export function isActive(state: State): boolean {
  return state.run?.status === 'running'
}

/** Whether somebody has said that the run is to end. */
export function isEnding({ run }: Pick<State, 'run'>): boolean {
  return run !== null && (run.cancel !== null || run.givenUp !== null)
}

/** Whether the conversation's model call runs, or one of its calls is not settled or still looked at. */
export function hasOpenTurn(conversation: Conversation): boolean {
  const phase = conversation.turn?.phase
  return phase === 'infer' || phase === 'review' || phase === 'calls'
}
