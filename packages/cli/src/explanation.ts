import type { RunStatus } from '@holdfast/runtime'
import { explainEnd } from './explain-end.ts'
import { explainWaits } from './explain-waits.ts'
import { renderMove } from './render-event.ts'
import type { Activity, Explanation, Situation } from './situation.ts'
import { toVisibleLine } from './visible-text.ts'

/** Says why a thread waits or stopped, which limit it met, who owns it and what to do next. Pure. */
export function explain(situation: Situation): Explanation {
  const { text, next } = EXPLANATIONS[situation.info.row.status](situation)
  const inbox = explainInbox(situation)
  return inbox === null ? { text, next } : { text: `${text} ${inbox.text}`, next: inbox.next }
}

const EXPLANATIONS: { readonly [status in RunStatus]: (situation: Situation) => Explanation } = {
  queued: (situation) =>
    explainOwned(situation) ?? { text: 'It was accepted, and nobody has begun to drive it.', next: [{ command: 'resume' }] },
  running: (situation) => explainOwned(situation) ?? explainUnowned(situation),
  waiting: (situation) => explainOwned(situation) ?? explainWaits(situation.waits, situation.now),
  completed: (situation) => explainOwned(situation) ?? explainEnd(situation),
  failed: (situation) => explainOwned(situation) ?? explainEnd(situation),
  cancelled: (situation) => explainOwned(situation) ?? explainEnd(situation),
  stopped: (situation) => explainOwned(situation) ?? explainEnd(situation)
}

function explainOwned({ info, life, activity }: Situation): Explanation | null {
  const { owner, row } = info
  if (owner === undefined) return null
  const name = toVisibleLine(owner.worker)
  if (life === 'dead') {
    return {
      text: `It was interrupted: its owner ${name}, a process of this machine, is gone, and nobody drives it. Whoever does next goes on from its last commit; what it had begun is judged by the effect of each tool.`,
      next: [{ command: 'resume' }]
    }
  }
  const where = life === 'alive' ? 'a process of this machine that lives' : 'a worker of another machine'
  const until = new Date(owner.leaseUntil).toISOString()
  const doing = row.status === 'queued' ? 'is about to begin' : describeActivity(activity)
  return {
    text: `It is driven by ${name}, ${where}, until ${until} and longer while that lives: it ${doing}.`,
    next: [{ command: 'attach' }, { command: 'wait' }]
  }
}

function describeActivity({ calls, turn, model, moved, failure }: Activity): string {
  if (calls.length > 0) return `runs ${calls.map((call) => toVisibleLine(call)).join(', ')}`
  if (turn === undefined) return 'is about to ask its model'
  const asked = `asks ${toVisibleLine(model ?? 'its model')}${moved ? renderMove(moved) : ''} in turn ${turn}`
  return failure === undefined ? asked : `${asked} again, because ${toVisibleLine(failure)}`
}

function explainUnowned({ info, activity, now }: Situation): Explanation {
  const { timerAt } = info
  if (timerAt !== undefined && timerAt > now) {
    const because = activity.failure === undefined ? '' : `, because ${toVisibleLine(activity.failure)}`
    return {
      text: `It pauses until ${new Date(timerAt).toISOString()} before it asks its model again${because}. Nobody owns it meanwhile, and somebody must drive it then.`,
      next: [{ command: 'resume' }]
    }
  }
  return {
    text: 'It was interrupted or let go: its run is not finished, and nobody drives it. It goes on from its last commit.',
    next: [{ command: 'resume' }]
  }
}

/** What lies in the inbox of a thread that nobody drives, when that is what it goes on with. */
function explainInbox({ info, waits }: Situation): Explanation | null {
  const { row, pending, owner } = info
  const isQuiet = owner === undefined && pending > 0
  if (!isQuiet || row.status === 'queued' || row.status === 'running' || waits.some((wait) => wait.state === 'decided')) return null
  const items = pending === 1 ? 'One item lies' : `${pending} items lie`
  if (row.status === 'waiting') {
    // Nothing in the inbox is read before a held call is decided; a question may be answered by it.
    const isHeld = waits.some(({ kind, state }) => kind === 'approval' && state === 'open')
    return { text: `${items} in its inbox, for when it goes on.`, next: [isHeld ? { command: 'waits --thread' } : { command: 'resume' }] }
  }
  return { text: `${items} in its inbox, and nobody drives it: the next run begins with that.`, next: [{ command: 'resume' }] }
}
