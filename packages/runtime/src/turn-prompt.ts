// Keeps I19: what a model was given is built again from facts and publication, by the code that built it the first time.
import type { TurnPrompt } from './contracts/api.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { FactOf } from './contracts/fact.ts'
import type { ThreadId, TurnId } from './contracts/ids.ts'
import { buildRequest } from './effects/request.ts'
import { readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import type { Conversation, State } from './state/state.ts'
import { conversationOf } from './state/state.ts'
import { ThreadFold } from './state/thread-fold.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/** What one try of a turn was asked, and what its request is built from. */
interface Asked {
  readonly fact: FactOf<'turn.started'>
  readonly history: Conversation['history']
  readonly variables: State['variables']
}

/** Builds the request of a turn once more. A number means a turn of the thread's latest run. */
export async function readPrompt(core: RuntimeCore, thread: ThreadId, turn: number | TurnId, wantedTry?: number): Promise<TurnPrompt> {
  const info = await readInfo(core, thread)
  const id = typeof turn === 'number' ? `${info.row.run ?? ''}//${turn}` : turn
  const fold = new ThreadFold(thread, await core.publication(info.publication))
  const asked = await findAsked(core, fold, id, wantedTry)
  if (!asked) {
    const which = wantedTry === undefined ? id : `${id}, try ${wantedTry}`
    throw new HoldfastError('invalid_input', `the thread ${thread} has asked no model in the turn ${which}`, { details: { turn: id } })
  }
  const { fact, history, variables } = asked
  const state = { ...fold.state, variables }
  const { abortSignal: _, ...request } = await buildRequest(state, history, state, new AbortController().signal)
  return { run: fact.run ?? '', turn: fact.turn, try: fact.try, model: fact.model, request }
}

/** Folds until the turn is over: the last try of a turn that is not told which may have been asked more than those before it. */
async function findAsked(core: RuntimeCore, fold: ThreadFold, turn: TurnId, wantedTry: number | undefined): Promise<Asked | null> {
  let found: Asked | null = null
  for (let next = 1; ; ) {
    const page = await core.store.read(fold.state.thread, next, PAGE_BYTES)
    for (const commit of page) {
      fold.add(commit)
      const started = commit.facts.filter((fact): fact is FactOf<'turn.started'> => fact.type === 'turn.started')
      const fact = started.find((each) => each.turn === turn && each.try === (wantedTry ?? each.try))
      if (fact) found = { fact, history: conversationOf(fold.state, fact.scope).history.slice(), variables: fold.state.variables }
      else if (found && isOver(found, started)) return found
    }
    const last = page.at(-1)
    if (!last) return found
    next = last.sequence + 1
  }
}

function isOver({ fact }: Asked, started: readonly FactOf<'turn.started'>[]): boolean {
  return started.some((each) => each.scope === fact.scope && each.turn !== fact.turn)
}
