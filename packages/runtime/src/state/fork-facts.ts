// Keeps I5, I7, I17: what the other thread began here ends as that thread says, or as unknown; nothing of it is begun again by itself.
import type { Fact, FactOf, GivenResult } from '../contracts/fact.ts'
import type { CallId, RunId, ThreadId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { CallResult } from '../contracts/message.ts'
import type { Publication } from '../contracts/publication.ts'
import { inlineOf } from './body.ts'
import { toCallDigest } from './call-digest.ts'
import { toSettled, toUnknown, toUnreviewed, toWithheld } from './settle.ts'
import type { Call, Conversation, Run, State } from './state.ts'
import { conversationOf } from './state.ts'

/** What is known of the thread that is forked. */
export interface ForkPast {
  readonly from: ThreadId
  /** The last commit that was copied. */
  readonly at: number
  /** Calls that were started, also after that commit. */
  readonly started: ReadonlySet<CallId>
  /** How calls ended after it. */
  readonly settled: ReadonlyMap<CallId, FactOf<'call.settled'>>
  /** What their plugins kept with that. */
  readonly kept: ReadonlyMap<CallId, readonly FactOf<'state.set'>[]>
}

/** Why a run ends that cannot go on under another publication. */
export const FORKED = 'forked'

/**
 * The facts that a fork begins with, behind the copied commits. A call that waits for a decision is asked about again, whatever the other
 * thread has done since; any other that was begun there ends as it ended there.
 */
export function toForkFacts(
  state: State,
  past: ForkPast,
  change: { readonly results: readonly GivenResult[]; readonly request?: string }
): readonly Fact[] {
  const { results, request } = change
  const { run } = state
  const conversations = run?.status === 'running' ? [...state.conversations.values()] : []
  const ran = conversations.flatMap(openCalls).filter((call) => isHeld(call) && past.started.has(call.id) && !isGiven(results, call))
  const forked: Fact = {
    v: 1,
    type: 'thread.forked',
    from: past.from,
    at: past.at,
    ...(results.length === 0 ? {} : { results }),
    ...(ran.length === 0 ? {} : { ran: ran.map((call) => call.id) }),
    ...(request === undefined ? {} : { request })
  }
  if (!run) return [forked]
  const ends = conversations.flatMap((conversation) => [
    ...toLost(run, conversation),
    ...openCalls(conversation).flatMap((call) => toEnd(state, run, conversation, call, { past, results }))
  ])
  return [forked, ...ends]
}

/**
 * The facts that put a fork under another publication. A turn that is open keeps the old one unless all that it waits for are decisions about tools
 * that are the same in both; else its run ends here, and the next one begins under the new publication.
 */
export function toRepinFacts(
  state: State,
  publication: Publication,
  grants?: Json
): { readonly facts: readonly Fact[]; readonly ended: RunId | null } {
  const narrowed = grants === undefined ? {} : { grants }
  const repinned: Fact = { v: 1, type: 'thread.repinned', publication: publication.digest, by: 'fork', ...narrowed }
  if (publication.digest === state.publication) return { facts: [], ended: null }
  const { run } = state
  const conversation = conversationOf(state)
  const open = openCalls(conversation)
  const { turn } = conversation
  const looked = turn?.calls.filter((call) => call.inReview) ?? []
  const answered = turn?.phase === 'review' ? turn : null
  const isKept = looked.length === 0 && answered === null && open.every((call) => isHeld(call) && isSameTool(state, publication, call))
  if (run?.status !== 'running' || isKept) return { facts: [repinned], ended: null }
  const settled = open.map((call) => toSettled(run, conversation, call, 'cancelled', { error: NOT_RUN }))
  const unseen = looked.map((call) => toUnreviewed(run, conversation, call, 'what this agent is and may do was changed before'))
  const ended: Fact = { v: 1, type: 'run.ended', run: run.id, status: 'stopped', why: FORKED }
  const withheld = answered === null ? [] : [toWithheld(run, conversation, answered)]
  return { facts: [...withheld, ...settled, ...unseen, ended, repinned], ended: run.id }
}

const NOT_RUN = 'Not run: what this agent is and may do was changed before this call began.'

/** The model's answer that was on its way was the other thread's. */
function toLost(run: Run, { scope, turn }: Conversation): readonly Fact[] {
  if (turn?.phase !== 'infer') return []
  return [{ v: 1, type: 'model.failed', run: run.id, scope, turn: turn.id, try: turn.try, why: 'lost' }]
}

/** How a call ends at once: as it was given, or as the other thread knows. One that waits for a decision is known here by another digest. */
function toEnd(
  state: State,
  run: Run,
  conversation: Conversation,
  call: Call,
  { past, results }: { readonly past: ForkPast; readonly results: readonly GivenResult[] }
): readonly Fact[] {
  const given = results.find((each) => each.call === call.id)
  if (given) return [toGiven(run, conversation, call, given.result)]
  if (isHeld(call) || !(call.started || past.started.has(call.id))) return isAsked(call) ? [toHeld(state, run, conversation, call)] : []
  const known = past.settled.get(call.id)
  if (!known) return [{ ...toUnknown(run, conversation, call), copied: true }]
  const { outcome, result, review } = known
  // What that thread's hooks said of it is theirs: the fork asks its own.
  const copied = { copied: true as const, ...(review ? { review } : {}) }
  const kept = past.kept.get(call.id) ?? []
  return [...kept, { v: 1, type: 'call.settled', run: run.id, scope: conversation.scope, call: call.id, outcome, result, ...copied }]
}

/** What is decided here is decided about this thread's call. */
function toHeld(state: State, run: Run, { scope }: Conversation, call: Call): Fact {
  const args = call.arguments ?? { inline: null }
  const tool = state.tools.get(call.tool) ?? null
  return {
    v: 1,
    type: 'call.gated',
    run: run.id,
    scope,
    call: call.id,
    verdict: 'hold',
    by: 'fork',
    asks: call.asks,
    arguments: args,
    digest: toCallDigest(state.thread, tool, { tool: call.tool, arguments: inlineOf(args), input: call.input }),
    ...(call.expiresAfterMs === null ? {} : { expiresAfterMs: call.expiresAfterMs }),
    ...(call.needed === 1 ? {} : { needed: call.needed })
  }
}

function toGiven(run: Run, conversation: Conversation, call: Call, result: CallResult): Fact {
  return { ...toSettled(run, conversation, call, 'error' in result ? 'error' : 'ok', result), copied: true }
}

function openCalls({ turn }: Conversation): readonly Call[] {
  return turn?.phase === 'calls' || turn?.phase === 'review' ? turn.calls.filter((call) => !call.settled) : []
}

function isGiven(results: readonly GivenResult[], call: Call): boolean {
  return results.some((each) => each.call === call.id)
}

/** Whether somebody must decide before the call can begin. */
function isHeld(call: Call): boolean {
  return call.verdict === 'hold' && call.decision === null && !call.started
}

/** Whether somebody had to decide before the call could begin, or has: what was approved there was approved for that thread. */
function isAsked({ verdict, asks }: Call): boolean {
  return verdict === 'hold' || (verdict === 'run' && asks.length > 0)
}

function isSameTool(state: State, { definition }: Publication, call: Call): boolean {
  const known = state.tools.get(call.tool)
  const next = definition.tools.find((tool) => tool.name === call.tool)
  return known !== undefined && next !== undefined && JSON.stringify(known) === JSON.stringify(next)
}
