import type { Fact } from './fact.ts'
import type { CallId, Ms, Scope, TurnId, WaitId } from './ids.ts'
import type { AppendRequest, InboxItem, ThreadRow } from './store.ts'

/** One effect that should be running. The id begins with `turn#try` or `call#try.leg`: the same id is the same effect. */
export type Action = { readonly id: string; readonly scope: Scope } & (
  | { readonly do: 'infer'; readonly turn: TurnId }
  | { readonly do: 'gate'; readonly call: CallId }
  | { readonly do: 'run'; readonly call: CallId }
  /** Asks a tool what became of a start of an older attempt; `final` when its deadline has passed. */
  | { readonly do: 'reconcile'; readonly call: CallId; readonly final: boolean }
  /** Has hooks look at what a call gave. */
  | { readonly do: 'reviewCall'; readonly call: CallId }
  /** Has hooks look at what a model is about to be asked; `candidate`: its place among the models. */
  | { readonly do: 'prepare'; readonly turn: TurnId; readonly candidate: number }
  /** Has hooks look at a message before it is taken. */
  | { readonly do: 'admit'; readonly item: InboxItem }
  /** Has hooks look at the answer of a turn. */
  | { readonly do: 'reviewTurn'; readonly turn: TurnId }
) & {
    /** Announced in this attempt and no longer wanted: abort it when it runs; when it never began, report just that. */
    readonly cancelled?: Cancelled
  }

/** Why an effect is no longer wanted: its run is cancelled, or somebody interrupts the model. */
export interface Cancelled {
  readonly by: 'cancel' | 'interrupt'
  /** How long it may still say what became of it. */
  readonly graceMs: Ms
}

/** What `plan` says about a state: the facts that follow, or else the whole set of effects that should be running now. */
export interface Planned {
  readonly facts: readonly Fact[]
  readonly send: AppendRequest['send']
  readonly spawn: AppendRequest['spawn']
  readonly open: AppendRequest['open']
  readonly close: AppendRequest['close']
  readonly actions: readonly Action[]
  /** When to look again, on the store's clock. */
  readonly timer: Ms | null
  /** Nothing to do until an item arrives or the timer is due: the thread can be let go. */
  readonly rest: boolean
}

/**
 * The stamp of a commit. While the commit is a draft `at` is an estimate; the driver sets it from the receipt. State keeps a
 * reference to the stamp instead of a copy, so that a live state and a folded one hold the same times (I2).
 */
export interface Stamp {
  at: Ms
  readonly attempt: number
  readonly sequence: number
}

/** What `take` makes of one item: the facts that consume it, and the waits that it closes. */
export interface Taken {
  readonly item: InboxItem
  readonly facts: readonly Fact[]
  readonly close?: readonly WaitId[]
}

/** What `take` is told beside the state. */
export interface TakeContext {
  /** On the store's clock. */
  readonly now: Ms
  /** Of the commit that would consume the item: what an older one shows could be seen by whoever sent it. */
  readonly sequence: number
  /** Absent: nowhere. */
  readonly hooked?: HookedPoints
}

/** Where hooks of this process look whose word stands in the log before what they look at can follow. */
export interface HookedPoints {
  readonly beforeInference: boolean
  readonly onMessage: boolean
}

/** What `plan` is told beside the state. */
export interface PlanContext {
  readonly attempt: number
  /** On the store's clock. */
  readonly now: Ms
  /** The worker stops: nothing new is announced, since nobody here would begin it. What is announced still stands in `actions`. */
  readonly stopping: boolean
  /** Accepted items that could not be taken. An interrupt among them wants the model call to end. */
  readonly pending: readonly InboxItem[]
  /** How many attempts in a row have ended without progress, where that is as many as may: nothing is driven before a person says so (protocol §5). */
  readonly crashes?: number
  /** Absent: nowhere. */
  readonly hooked?: HookedPoints
}

/**
 * The pure heart of one kind of thread, as the driver sees it. All functions are deterministic and total over the formats
 * that this program reads (I2); none does I/O. `evolve` may reuse the state that it is given.
 */
export interface Heart<State> {
  evolve(state: State, stamp: Stamp, fact: Fact): State
  take(state: State, items: readonly InboxItem[], context: TakeContext): Taken | null
  plan(state: State, context: PlanContext): Planned
  project(state: State): ThreadRow
  /** Whether a commit of these facts is progress (protocol §5). */
  progress(facts: readonly Fact[]): boolean
  /** Whether something outside may follow from a commit of these facts, so that they must be synced before (protocol §10). */
  reachesOut(facts: readonly Fact[]): boolean
}

/** What an effect gave: the facts to commit. Empty: nothing to say (dropped while draining). */
export interface Outcome {
  readonly id: string
  readonly facts: readonly Fact[]
}

/** A running effect. */
export interface Running {
  /**
   * `unwanted`: the outcome still arrives; `cancelled` is what the plan says of it now. `drain`: the worker stops. `lost`: another worker
   * owns the thread.
   */
  abort(reason: 'unwanted' | 'drain' | 'lost', cancelled?: Cancelled): void
}
