import type { ForkOptions } from './contracts/fork.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { Commit, Fact, FactOf, GivenResult } from './contracts/fact.ts'
import type { CallId, ThreadId, TurnId } from './contracts/ids.ts'
import type { ThreadInfo } from './contracts/store.ts'
import { foldedCommits, readCommits } from './folded-commits.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { turnOf } from './state/call-place.ts'
import { findReplaceable } from './state/evolve-fork.ts'
import type { ForkPast } from './state/fork-facts.ts'
import type { ThreadFold } from './state/thread-fold.ts'

/** The commits that a fork copies, folded as those of the fork. */
export interface CopiedPast {
  readonly commits: readonly Commit[]
  readonly fold: ThreadFold
}

/** Reads a thread up to the place of a fork. Throws `invalid_input` for a place that is none, or at which a given result comes too late. */
export async function readPast(
  core: RuntimeCore,
  info: ThreadInfo,
  options: { readonly as: ThreadId; readonly at: ForkOptions['at']; readonly results: readonly GivenResult[] }
): Promise<CopiedPast> {
  const isLast = await findLast(core, info, options)
  const commits: Commit[] = []
  for await (const { commit, fold } of foldedCommits(core, info.id, { as: options.as })) {
    commits.push(commit)
    if (!isLast(commit) && commit.sequence < info.head) continue
    if (!isLast(commit)) break
    for (const { call } of options.results) assertReplaceable(info.id, commit, fold, call)
    return { commits, fold }
  }
  throw new HoldfastError('invalid_input', `the thread ${info.id} has no such place: it has ${info.head} commits`, {
    details: { thread: info.id, head: info.head }
  })
}

/** What became of the calls of a thread after a commit. */
export async function readLater(core: RuntimeCore, from: ThreadId, at: number): Promise<ForkPast> {
  const started = new Set<CallId>()
  const settled = new Map<CallId, FactOf<'call.settled'>>()
  const kept = new Map<CallId, readonly FactOf<'state.set'>[]>()
  for await (const { facts } of readCommits(core, from, at + 1)) {
    for (const fact of facts) {
      if (fact.type === 'call.started') started.add(fact.call)
      else if (fact.type === 'call.settled') {
        settled.set(fact.call, fact)
        const set = facts.filter((each): each is FactOf<'state.set'> => each.type === 'state.set' && each.call === fact.call)
        if (set.length > 0) kept.set(fact.call, set)
      }
    }
  }
  return { from, at, started, settled, kept }
}

type IsLast = (commit: Commit) => boolean

async function findLast(
  core: RuntimeCore,
  info: ThreadInfo,
  { at, results }: { readonly at: ForkOptions['at']; readonly results: readonly GivenResult[] }
): Promise<IsLast> {
  if (typeof at === 'number') return (commit) => commit.sequence === at
  if (at !== undefined) {
    const turn = typeof at.turn === 'number' ? `${info.row.run ?? ''}//${at.turn}` : at.turn
    return (commit) => commit.facts.some((fact) => begins(fact, turn))
  }
  const [first] = results
  const last = first === undefined ? info.head : await findEnd(core, info, first.call)
  return (commit) => commit.sequence === last
}

/** A model is asked for the first time, or the calls of a definition begin: those are turn 0. */
function begins(fact: Fact, turn: TurnId): boolean {
  return (fact.type === 'turn.started' && fact.try === 1 && fact.turn === turn) || (fact.type === 'prompts.injected' && fact.turn === turn)
}

/** The commit in which the last call of a call's turn ended; the thread's last one when some are open. */
async function findEnd(core: RuntimeCore, { id, head }: ThreadInfo, call: CallId): Promise<number> {
  let last = 0
  let open = 0
  for await (const { sequence, facts } of readCommits(core, id, 1)) {
    if (sequence > head) break
    for (const fact of facts) {
      if (fact.type === 'model.responded' && fact.turn === turnOf(call)) open = countCalls(fact)
      if (fact.type !== 'call.settled' || turnOf(fact.call) !== turnOf(call)) continue
      open--
      last = sequence
    }
  }
  return last > 0 && open <= 0 ? last : head
}

function countCalls({ parts }: FactOf<'model.responded'>): number {
  return 'inline' in parts ? parts.inline.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true).length : 0
}

function assertReplaceable(thread: ThreadId, { sequence }: Commit, { state }: ThreadFold, call: CallId): void {
  if (findReplaceable(state, call) !== null) return
  throw new HoldfastError(
    'invalid_input',
    `at commit ${sequence} of ${thread} there is no call ${call} that the model has not answered to: fork where its result has just come`,
    { details: { thread, sequence, call } }
  )
}
