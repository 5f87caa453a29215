// Keeps I19: what a model was given is built again from facts and publication, by the code that built it the first time.
import type { TurnPrompt } from './contracts/thread-handle.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { FactOf } from './contracts/fact.ts'
import type { ThreadId, TurnId } from './contracts/ids.ts'
import { buildRequest } from './effects/request.ts'
import { foldedCommits } from './folded-commits.ts'
import { readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { candidateAt } from './state/candidate.ts'
import { contextOf } from './state/prepared-request.ts'
import { providerOf, shownHistory } from './state/shown-history.ts'
import type { Conversation, State } from './state/state.ts'
import { conversationOf } from './state/state.ts'

/** What one try of a turn was asked, and what its request is built from. */
interface Asked {
  readonly fact: FactOf<'turn.started'>
  /** As the model was shown it. */
  readonly history: Conversation['history']
  readonly system: Conversation['system']
  /** What hooks added. */
  readonly context: readonly string[]
  /** As it was then: variables and definition may be others later. */
  readonly state: State
}

/** Builds the request of a turn once more. A number means a turn of the thread's latest run. */
export async function readPrompt(core: RuntimeCore, thread: ThreadId, turn: number | TurnId, wantedTry?: number): Promise<TurnPrompt> {
  const info = await readInfo(core, thread)
  const id = typeof turn === 'number' ? `${info.row.run ?? ''}//${turn}` : turn
  const asked = await findAsked(core, thread, id, wantedTry)
  if (!asked) {
    const which = wantedTry === undefined ? id : `${id}, try ${wantedTry}`
    throw new HoldfastError('invalid_input', `the thread ${thread} has asked no model in the turn ${which}`, { details: { turn: id } })
  }
  const { fact, history, system, context, state } = asked
  const candidate = candidateAt(state.definition, fact.candidate ?? 0)
  const { abortSignal: _, ...request } = await buildRequest(
    state,
    { history, system, plugins: state.plugins, context, candidate, last: fact.last ?? false },
    state,
    new AbortController().signal
  )
  return { run: fact.run ?? '', turn: fact.turn, try: fact.try, model: fact.model, request }
}

/** Folds until the turn is over: the last try of a turn that is not told which may have been asked more than those before it. */
async function findAsked(core: RuntimeCore, thread: ThreadId, turn: TurnId, wantedTry: number | undefined): Promise<Asked | null> {
  let found: Asked | null = null
  for await (const { fold, commit } of foldedCommits(core, thread)) {
    const started = commit.facts.filter((fact): fact is FactOf<'turn.started'> => fact.type === 'turn.started')
    const fact = started.find((each) => each.hook === undefined && each.turn === turn && each.try === (wantedTry ?? each.try))
    if (fact) found = toAsked(fold.state, fact)
    else if (found && isOver(found, started)) return found
  }
  return found
}

function toAsked(state: State, fact: FactOf<'turn.started'>): Asked {
  const conversation = conversationOf(state, fact.scope)
  const history = shownHistory(conversation, providerOf(state.definition, fact.model))
  return { fact, history, system: conversation.system, context: contextOf(conversation.prepared, fact.turn), state: { ...state } }
}

function isOver({ fact }: Asked, started: readonly FactOf<'turn.started'>[]): boolean {
  return started.some((each) => each.scope === fact.scope && each.turn !== fact.turn)
}
