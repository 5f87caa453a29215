import type { ApprovalRule } from './approval.ts'
import type { Budget } from './budget.ts'
import type { Fault } from './fault.ts'
import type { HookFact } from './hook-fact.ts'
import type { PluginFact } from './plugin-fact.ts'
import type { InjectedPrompt } from './initial-prompt.ts'
import type { CallId, Digest, ItemId, Ms, Principal, RunId, Scope, ThreadId, TurnId, WaitId } from './ids.ts'
import type { Json } from './json.ts'
import type { Labels } from './labels.ts'
import type { Body, CallResult, Part } from './message.ts'
import type { MessageFact } from './message-fact.ts'
import type { ModelMove } from './model-move.ts'
import type { OutputCheck } from './output-check.ts'
import type { TreeFact } from './tree-fact.ts'
import type { Cost, Usage } from './usage.ts'

/** The format of commits that this program writes. A reader refuses commits of a higher one (I20). */
export const FORMAT = 1

/** What a tool does to the world outside; decides what a crash leaves (semantics: effects). */
export type Effect = 'read' | 'idempotent' | 'once'

/** How a call ended. `unknown` says honestly that it was started and that nobody knows what became of it. */
export type CallOutcome = 'ok' | 'error' | 'denied' | 'blocked' | 'cancelled' | 'timeout' | 'unknown' | 'expired'

/** What a tool said that was asked what became of a call; `failed`: it said nothing that counts. */
export type ReconcileAnswer = 'done' | 'not_done' | 'unknown' | 'failed'

/** How a run ended. These are absorbing. */
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'stopped'

/** The state of a run as lists show it. `queued`: accepted, not yet claimed. */
export type RunStatus = 'queued' | 'running' | 'waiting' | RunEnd

/** What a run waits for. */
export type WaitKind =
  | 'approval'
  | 'question'
  | 'agent'
  | 'monitor'
  | 'timer'
  | 'budget'
  | 'event'
  | 'external'
  | 'outcome'
  | 'quarantine'
  | 'missing'

/** Why a model call gave no answer. Only `transient` is tried again by count; `lost` and `interrupted` always are. */
export type ModelFailure = 'lost' | 'aborted' | 'interrupted' | 'transient' | 'permanent' | 'blocked'

type ThreadFact =
  | {
      readonly type: 'thread.created'
      readonly publication: Digest
      readonly grants: Json
      readonly rules: readonly Digest[]
      readonly root: ThreadId
      readonly parent?: { readonly thread: ThreadId; readonly call: CallId }
      readonly depth: number
      /** Absent when there are none. */
      readonly labels?: Labels
    }
  | {
      readonly type: 'thread.repinned'
      readonly publication: Digest
      readonly by: 'handoff' | 'migrate' | 'fork'
      /** What the thread may do from here on, where the publication asks for less than it may. */
      readonly grants?: Json
    }
  | {
      /** What stands before it was copied from another thread: its commits up to `at`, without its waits, its usage and its budgets. */
      readonly type: 'thread.forked'
      readonly from: ThreadId
      readonly at: number
      /** What the model is shown of calls in place of their results. */
      readonly results?: readonly GivenResult[]
      /** Calls that wait for a decision here, and that the other thread has run. */
      readonly ran?: readonly CallId[]
      /** Of what was asked for, where that has a key. */
      readonly request?: Digest
    }
  | { readonly type: 'thread.moved'; readonly to: string }
  | { readonly type: 'attempt.claimed'; readonly worker: string; readonly why: ClaimReason }

/** A result that somebody gives a call in place of its own. */
export type GivenResult = { readonly call: CallId; readonly result: CallResult }

/**
 * Why a thread could be claimed. `items`: something fresh lay in its inbox. `timer`: its timer was due, also the one that a stopping owner sets
 * to now. `expired`: the lease of its owner had run out. `takeover`: its owner had a lease and was dispossessed, for the host said so or since its
 * process was gone.
 */
export type ClaimReason = 'items' | 'timer' | 'expired' | 'takeover'

type RunFact =
  | {
      readonly type: 'run.started'
      readonly publication: Digest
      readonly mode: 'sequential' | 'parallel'
      readonly by: Principal
      readonly trace?: string
    }
  | { readonly type: 'run.cancelRequested'; readonly reason: string; readonly graceMs: Ms }
  | { readonly type: 'run.ended'; readonly status: RunEnd; readonly why?: string; readonly error?: Fault; readonly output?: Body }

type TurnFact =
  | {
      /**
       * What a thread begins with: its initial prompts, rendered, which come one after another, each with its calls. The turn is the one of all these
       * calls, numbered through. Messages of the same commit stand behind what comes of them.
       */
      readonly type: 'prompts.injected'
      readonly turn: TurnId
      readonly prompts: Body<readonly InjectedPrompt[]>
    }
  | {
      readonly type: 'turn.started'
      readonly turn: TurnId
      readonly try: number
      readonly model: string
      /** The place of the model among the fallbacks of the definition, from 1; absent for the first one. */
      readonly candidate?: number
      /** Another model was asked before. */
      readonly moved?: ModelMove
      /** The last one that the limit of turns allows: the model is shown its tools, and may call none. */
      readonly last?: true
      /** This hook has answered: no model is asked. */
      readonly hook?: string
      readonly reservedTokens?: number
    }
  | {
      readonly type: 'model.responded'
      readonly turn: TurnId
      readonly parts: Body<readonly Part[]>
      readonly finish: string
      readonly usage: Usage
      readonly cost: Cost
      readonly model: string
      readonly output?: OutputCheck
      /** Hooks are to look at the answer before anything of it is seen or run. */
      readonly review?: true
    }
  | {
      readonly type: 'model.failed'
      readonly turn: TurnId
      readonly try: number
      readonly why: ModelFailure
      readonly usage?: Usage
      /** Of `usage`; unknown when there is usage and no cost. */
      readonly cost?: Cost
      readonly error?: Fault
      readonly retryAfterMs?: Ms
    }

type CallFact =
  | {
      readonly type: 'call.gated'
      readonly call: CallId
      readonly verdict: 'run' | 'block' | 'respond' | 'hold'
      readonly by: string
      readonly asks: readonly string[]
      readonly arguments: Body
      readonly digest: Digest
      /** For `block`: what the model reads. For `respond`: the result given in place of a run. */
      readonly result?: CallResult
      /** For `hold`: how long a decision is waited for, and how many distinct principals must approve. Default: for ever, one. */
      readonly expiresAfterMs?: Ms
      readonly needed?: number
    }
  | {
      readonly type: 'call.started'
      readonly call: CallId
      readonly try: number
      readonly leg: number
      readonly effect: Effect
      readonly deadlineMs: Ms
    }
  | {
      readonly type: 'call.suspended'
      readonly call: CallId
      readonly leg: number
      readonly wait: WaitId
      readonly kind: WaitKind
      /** What the tool keeps for its next leg. */
      readonly state: Body
      /** What whoever decides is shown. */
      readonly subject: Body
      readonly expiresAfterMs?: Ms
    }
  | {
      /** What a tool found out about a start of its own that an older attempt made. */
      readonly type: 'call.reconciled'
      readonly call: CallId
      readonly try: number
      readonly leg: number
      readonly said: ReconcileAnswer
      /** Whether it was asked after the deadline of that start: only then nothing more can come of it. */
      readonly final: boolean
      /** Of what was done. */
      readonly result?: Body<CallResult>
      /** Hooks are to look at the result. */
      readonly review?: true
      /** Why it failed. */
      readonly error?: string
    }
  | {
      readonly type: 'call.settled'
      readonly call: CallId
      readonly outcome: CallOutcome
      readonly result: Body<CallResult>
      /** Hooks are to look at the result before the model sees it. */
      readonly review?: true
      readonly cost?: number
      /** It did not end here: this is what the thread knows of it that this one was forked from, or what was given in its place. */
      readonly copied?: true
    }
  | {
      readonly type: 'wait.opened'
      readonly wait: WaitId
      readonly kind: WaitKind
      readonly call?: CallId
      readonly asks?: readonly string[]
      readonly subject: Body
      readonly expiresAfterMs?: Ms
      /** How many distinct principals must approve. Default 1. */
      readonly needed?: number
      readonly targets?: readonly ThreadId[]
    }
  | {
      readonly type: 'wait.resolved'
      readonly wait: WaitId
      readonly as: 'decided' | 'expired' | 'cancelled' | 'reported'
      readonly decision?: Json
      readonly by?: Principal
    }
  | { readonly type: 'approval.remembered'; readonly rule: ApprovalRule; readonly for: 'run' | 'thread' }

type LaterFact =
  | { readonly type: 'step.started'; readonly when: boolean; readonly inputs?: Body; readonly items?: Body }
  | { readonly type: 'step.settled'; readonly status: 'completed' | 'skipped' | 'failed' | 'unknown'; readonly output?: Body }
  | { readonly type: 'variables.set'; readonly values: { readonly [key: string]: Body } }
  | {
      readonly type: 'context.rewritten'
      readonly strategy: string
      readonly from: number
      readonly to: number
      readonly view: Body
      readonly cost: Cost
    }
  | { readonly type: 'budget.set'; readonly limit: Budget; readonly by: Principal }

/**
 * One thing that happened, immutable once committed. `run` and `scope` are absent only for facts of the thread
 * itself; `cause` is the inbox item that this fact consumed (I10).
 */
export type Fact = {
  readonly v: number
  readonly run?: RunId
  readonly scope?: Scope
  readonly cause?: ItemId
} & (ThreadFact | RunFact | MessageFact | TurnFact | CallFact | HookFact | PluginFact | LaterFact | TreeFact)

/** The fact of one type. */
export type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>

/** An atomic batch of facts. Identity is (thread, attempt, sequence); `at` never runs backwards within a thread. */
export interface Commit {
  readonly tenant: string
  readonly thread: ThreadId
  readonly sequence: number
  readonly attempt: number
  readonly at: Ms
  readonly worker: string
  readonly format: number
  readonly digest: Digest
  /** Opaque and ordered: a reader of `follow` goes on from it. */
  readonly position: string
  readonly facts: readonly Fact[]
}
