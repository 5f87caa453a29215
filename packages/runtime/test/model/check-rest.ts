import { isDeepStrictEqual } from 'node:util'
import type { ThreadId } from '../../src/contracts/ids.ts'
import { conversationHeart } from '../../src/state/heart.ts'
import { project } from '../../src/state/project.ts'
import { candidatesOf, toModelName } from '../../src/state/candidate.ts'
import { providerOf, shownHistory } from '../../src/state/shown-history.ts'
import type { Conversation, State } from '../../src/state/state.ts'
import { hasOpenTurn } from '../../src/state/state.ts'
import { checkHistory } from './check-history.ts'
import { foldLog } from './fold-log.ts'
import type { Model } from './model.ts'
import { Violation } from './witness.ts'

/** Each provider is shown a history that it takes. */
export function checkShown({ definition }: State, conversation: Conversation): void {
  for (const candidate of candidatesOf(definition)) {
    const model = toModelName(candidate)
    const failure = checkHistory(shownHistory(conversation, providerOf(definition, model)))
    if (failure) throw new Violation('I7', `as ${model} is shown it: ${failure}`)
  }
}

/** A thread at the end of a schedule: it really rests, and what the store keeps of it is what the log says. */
export async function checkRest(model: Model, thread: ThreadId): Promise<void> {
  const { inner, witness, publication } = model
  const commits = await inner.read(thread, 1, Number.POSITIVE_INFINITY)
  const { commits: seen, attempt, items } = witness.thread(thread)
  const accepted = seen.map((each) => ({ sequence: each.sequence, attempt: each.attempt, at: each.at, facts: each.facts }))
  const stored = commits.map((each) => ({ sequence: each.sequence, attempt: each.attempt, at: each.at, facts: each.facts }))
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(accepted)), stored)) throw new Violation('I3', 'the log is not what was accepted')

  const state = foldLog(thread, publication, commits)
  const info = await inner.thread(thread)
  if (!isDeepStrictEqual(info?.row, project(state))) throw new Violation('I1', 'the row is not what the log projects to')

  const pending = await inner.pending(thread)
  const taken = conversationHeart.take(state, pending, { now: model.storeNow(), sequence: commits.length + 1, hooked: model.hooked })
  if (taken) throw new Violation('stuck', `${taken.item.id} can be taken and nobody takes it`)
  const plan = conversationHeart.plan(state, { attempt, now: model.storeNow(), stopping: false, pending, hooked: model.hooked })
  if (!plan.rest || plan.facts.length > 0) throw new Violation('stuck', 'the thread was let go although something follows from its state')

  const consumed = new Set(commits.flatMap((commit) => commit.facts.map((fact) => fact.cause)))
  const lost = [...items.keys()].filter((id) => !consumed.has(id) && !pending.some((item) => item.id === id))
  if (lost.length > 0) throw new Violation('I10', `${lost.join(' ')} is neither consumed nor pending`)
  const twice = pending.filter((item) => consumed.has(item.id))
  if (twice.length > 0) throw new Violation('I10', `${twice[0]?.id} is consumed and still pending`)

  for (const conversation of state.conversations.values()) {
    const failure = hasOpenTurn(conversation) ? null : checkHistory(conversation.history)
    if (failure) throw new Violation('I7', failure)
    if (!hasOpenTurn(conversation)) checkShown(state, conversation)
  }
}
