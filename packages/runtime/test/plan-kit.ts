import type { Limits } from '../src/contracts/publication.ts'
import { callPart } from './model/outcomes.ts'
import { publicationOf, toolOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

/** One of each kind. */
export const TOOLS = [
  toolOf('look'),
  toolOf('put', { effect: 'idempotent' }),
  toolOf('pay', { effect: 'once' }),
  toolOf('move', { effect: 'once', parallelSafe: false }),
  toolOf('task_complete', { identity: 'agent:task_complete' })
]

/** A thread whose first model call runs. */
export function running(limits: Limits = {}): PureThread {
  const thread = new PureThread(publicationOf(TOOLS, limits)).claim()
  thread.message()
  thread.commit()
  return thread
}

/** Calls of these tools in one answer. */
export const calls = (...tools: string[]): ReturnType<typeof callPart>[] => tools.map((tool, index) => callPart(tool, `{"n":${index}}`))
/** How its calls have ended. */
export const outcomes = (thread: PureThread): readonly string[] => thread.factsOf('call.settled').map((fact) => fact.outcome)
/** How its last run has ended, and why; null while it has not. */
export const ending = (thread: PureThread): unknown => {
  const end = thread.factsOf('run.ended').at(-1)
  return end ? [end.status, end.why] : null
}
