import type { Json, WaitKind, WaitRow } from '@holdfast/runtime'
import type { Explanation, Step } from './situation.ts'
import { toBudgetBounds, toBudgetReason } from './render-budget.ts'
import { renderJson } from './render-event.ts'
import { toVisibleLine } from './visible-text.ts'
import { toDecideStep } from './decide-step.ts'
import { toWaitLine } from './wait-text.ts'

/** How many further waits are named with their commands; `holdfast waits --thread` lists all. */
const MAX_OTHERS = 8
const LOOK: Step = { command: 'show' }
const GO_ON: Step = { command: 'resume' }

/** What a wait of each kind is for, and what ends it. */
const KINDS: { readonly [kind in WaitKind]: (wait: WaitRow) => Explanation } = {
  approval: ({ id, subject }) => ({
    text: `It waits for a person to approve or refuse ${describeCall(subject)}.`,
    next: [
      { command: 'approve', wait: id },
      { command: 'deny', wait: id, rest: '--reason "..."' }
    ]
  }),
  question: (wait) => ({
    text: `It has asked a question: ${wait.subject === null ? describe(null) : toWaitLine(wait)}`,
    next: [
      { command: 'answer', wait: wait.id, rest: '"..."' },
      { command: 'deny', wait: wait.id, rest: '--reason "..."' }
    ]
  }),
  agent: ({ targets }) => ({ text: `It waits for ${describeTargets(targets)} to end.`, next: [LOOK] }),
  monitor: ({ targets }) => ({ text: `It waits for what it watches of ${describeTargets(targets)} to come about.`, next: [LOOK] }),
  timer: ({ subject }) => ({ text: describePause(subject), next: [GO_ON] }),
  budget: ({ subject }) => ({ text: describeBudget(subject), next: [{ command: 'budget extend', rest: 'LIMIT' }] }),
  event: ({ subject }) => ({ text: `It waits for an event: ${describe(subject)}`, next: [LOOK] }),
  external: ({ id, subject }) => ({
    text: `It waits for a result from outside: ${describe(subject)}`,
    next: [
      { command: 'answer', wait: id, rest: 'RESULT' },
      { command: 'deny', wait: id, rest: '--reason "..."' }
    ]
  }),
  outcome: ({ id, subject }) => ({
    text: `Nobody knows whether ${describeCall(subject)} happened: a person must look, and say so before it goes on.`,
    next: [
      { command: 'outcome', wait: id, rest: 'happened --result RESULT' },
      { command: 'outcome', wait: id, rest: 'not-happened' },
      { command: 'outcome', wait: id, rest: 'unknown' }
    ]
  }),
  quarantine: ({ id, subject }) => ({
    text: describeQuarantine(subject),
    next: [{ command: 'log' }, { command: 'quarantine', wait: id, rest: 'retry' }, { command: 'quarantine', wait: id, rest: 'give-up' }]
  }),
  missing: ({ subject }) => ({
    text: `Something that it needs is missing: ${describe(subject)}`,
    next: [{ command: 'resume', rest: '--tools FILE' }]
  })
}

/** Why a thread waits, by the oldest of its waits; one that is decided is not waited for any more. */
export function explainWaits(waits: readonly WaitRow[], now: number): Explanation {
  const decided = waits.filter((wait) => wait.state === 'decided')
  const [first, ...others] = waits.filter((wait) => wait.state !== 'decided')
  if (decided.length > 0) {
    const text = `What it waited for has been decided (${decided.map((wait) => wait.kind).join(', ')}), and nobody has driven it since.`
    return { text, next: [GO_ON] }
  }
  if (first === undefined) return { text: 'It waits, and nothing is known of what for.', next: [LOOK] }
  const { text, next } = KINDS[first.kind](first)
  const isOver = first.expiresAt !== undefined && first.expiresAt <= now
  return {
    text: [text, ...describeExpiry(first, now), ...describeOthers(others)].join(' '),
    next: [...(isOver ? [GO_ON] : next), ...others.flatMap((wait) => toDecideStep(wait) ?? []).slice(0, MAX_OTHERS)]
  }
}

function describeExpiry({ kind, expiresAt }: WaitRow, now: number): readonly string[] {
  if (expiresAt === undefined) return []
  const point = new Date(expiresAt).toISOString()
  if (expiresAt <= now) return [`Its time was over at ${point}: it goes on without when somebody drives it.`]
  return [kind === 'timer' ? `That is at ${point}.` : `That expires at ${point}.`]
}

function describeOthers(others: readonly WaitRow[]): readonly string[] {
  if (others.length === 0) return []
  return [`It waits for ${others.length} more: ${others.map((wait) => wait.kind).join(', ')}.`]
}

/** A pause that a provider asked for says which model it is of. */
function describePause(subject: Json): string {
  const { model, code, message } = fieldsOf(subject)
  if (typeof model !== 'string') return 'It sleeps until its time has come.'
  const because = typeof code === 'string' ? `, because of ${toVisibleLine(code)}` : ''
  const said = typeof message === 'string' ? ` (${toVisibleLine(message, 300)})` : ''
  return `It waits before it asks ${toVisibleLine(model)} again${because}${said}: that long a pause was asked for.`
}

/** Which bound holds it, and how much is used and left of each. */
function describeBudget(subject: Json): string {
  const bounds = toBudgetBounds(subject)
  const status = bounds.length === 0 ? '' : ` ${bounds.join('; ')}.`
  return `${toBudgetReason(subject)}.${status} It goes on when a person extends it; who denies the wait stops the run.`
}

/** How often it was tried, and what was under way. */
function describeQuarantine(subject: Json): string {
  const { attempts, model, calls } = fieldsOf(subject)
  const count = typeof attempts === 'number' ? `${attempts} of its owners in a row` : 'too many of its owners'
  const tools = Array.isArray(calls) ? calls.map((call) => fieldsOf(call)['tool']).filter((tool) => typeof tool === 'string') : []
  const asked = typeof model === 'string' ? ` while ${toVisibleLine(model)} was asked` : ''
  const during = tools.length === 0 ? asked : ` while ${tools.map((tool) => toVisibleLine(tool)).join(', ')} ran`
  return `It was set aside: ${count} died${during} without getting on. A person must say whether it is tried again: who approves has it tried, who denies gives it up.`
}

function fieldsOf(subject: Json): { readonly [key: string]: Json } {
  return typeof subject === 'object' && subject !== null && !Array.isArray(subject) ? (subject as { readonly [key: string]: Json }) : {}
}

function describeCall(subject: Json): string {
  const { tool, arguments: given } = fieldsOf(subject)
  if (typeof tool !== 'string') return subject === null ? 'a call' : `a call, ${describe(subject)}`
  return given === undefined ? `the call ${toVisibleLine(tool)}` : `the call ${toVisibleLine(tool)} ${renderJson(given)}`
}

function describe(subject: Json): string {
  return subject === null ? 'it is not said which.' : renderJson(subject)
}

function describeTargets(targets: readonly string[] = []): string {
  return targets.length === 0 ? 'another thread' : targets.map((target) => toVisibleLine(target)).join(', ')
}
