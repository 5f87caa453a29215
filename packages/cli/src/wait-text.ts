// What a person decides by: exactly what would run, whole or with the word that it is not, and nothing that steers the terminal.
import type { Json, JsonObject, WaitRow } from '@holdfast/runtime'
import { findLookAlikes } from './look-alikes.ts'
import { plural } from './plural.ts'
import { toBudgetBounds, toBudgetReason } from './render-budget.ts'
import { renderJson } from './render-event.ts'
import { toJsonText, toVisibleLine, toVisibleText } from './visible-text.ts'

/** What is known of a wait beside its row. */
export interface WaitAbout {
  /** Who asks. */
  readonly asks: readonly string[]
  readonly agent?: string
  /** All of the arguments, however long they are. */
  readonly whole?: boolean
}

/** What of the arguments is shown unless all are asked for. */
const MAX_ARGUMENTS_LENGTH = 2_000
/** The same on one line. */
const MAX_LINE_LENGTH = 200
/** So much of it is their end: what is padded away is not what is hidden. */
const END_LENGTH = 500

const EFFECTS: { readonly [effect: string]: string } = {
  read: 'changes nothing outside',
  idempotent: 'may be repeated under its key without a second effect',
  once: 'is started once at most'
}

/** A wait as a person needs it who decides, line by line. */
export function describeWait(wait: WaitRow, about: WaitAbout): readonly string[] {
  const rows = (DESCRIBERS[wait.kind] ?? describeOther)(wait, about)
  const { agent } = about
  return [
    ...rows,
    ['thread', agent === undefined ? wait.thread : `${wait.thread} (${toVisibleLine(agent, 60)})`] as const,
    ...(wait.needed > 1 ? [['people', describeVotes(wait)] as const] : []),
    ...(wait.expiresAt === undefined ? [] : [['expires', new Date(wait.expiresAt).toISOString()] as const])
  ].map(([name, value]) => `${name.padEnd(11)}${value.replaceAll('\n', `\n${' '.repeat(11)}`)}`)
}

/** The same on one line: what would run, or what is asked. */
export function toWaitLine(wait: WaitRow): string {
  const { tool, arguments: given, question } = fieldsOf(wait.subject)
  if (wait.kind === 'question' && typeof question === 'string') return toVisibleLine(question)
  if (wait.kind === 'budget') return [toBudgetReason(wait.subject), ...toBudgetBounds(wait.subject)].join('; ')
  return typeof tool === 'string' ? `${toVisibleLine(tool)} ${toBothEnds(toJsonText(given ?? null))}` : renderJson(wait.subject)
}

/** On one line what does not fit is left out in the middle. */
function toBothEnds(text: string): string {
  if (text.length <= MAX_LINE_LENGTH) return toVisibleLine(text)
  const half = MAX_LINE_LENGTH / 2
  return `${toVisibleLine(text.slice(0, half))} ... ${toVisibleLine(text.slice(-half))}`
}

/** What a question offers to choose from. */
export function optionsOf({ subject }: WaitRow): readonly string[] {
  const { options } = fieldsOf(subject)
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []
}

/** The arguments of the call, as they stand. */
export function argumentsOf({ subject }: WaitRow): Json {
  return fieldsOf(subject)['arguments'] ?? null
}

/** The name of the tool that is called. */
export function toolOf({ subject }: WaitRow): string | undefined {
  const { tool } = fieldsOf(subject)
  return typeof tool === 'string' ? tool : undefined
}

/** The schema that an answer must fit, where there is one. */
export function schemaOf({ subject }: WaitRow): JsonObject | undefined {
  const { schema } = fieldsOf(subject)
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as JsonObject) : undefined
}

/** Who has approved what: only those who say the same count together. */
function describeVotes({ needed, votes }: WaitRow): string {
  const said = votes.map((vote) => {
    const { by, decision } = fieldsOf(vote)
    const { arguments: edited } = fieldsOf(decision ?? null)
    const { kind, id } = fieldsOf(by ?? null)
    const who = toVisibleLine(`${String(kind)} ${String(id)}`, 60)
    return edited === undefined ? who : `${who} with ${toBothEnds(toJsonText(edited))}`
  })
  return [`${needed} must approve the same, ${said.length === 0 ? 'nobody has' : 'so far have:'}`, ...said].join('\n')
}

type Row = readonly [name: string, value: string]

function describeCall(wait: WaitRow, { asks, whole }: WaitAbout): readonly Row[] {
  const { tool, effect, changed, injected } = fieldsOf(wait.subject)
  const doing = typeof effect === 'string' ? `, ${EFFECTS[effect] ?? toVisibleLine(effect)}` : ''
  return [
    ['call', `${toVisibleLine(typeof tool === 'string' ? tool : 'a tool')}${doing}`],
    ['arguments', showJson(argumentsOf(wait), whole === true)],
    ...findLookAlikes(argumentsOf(wait)).map((text, index): Row => [index === 0 ? 'look-alike' : '', toVisibleLine(text)]),
    ...(changed === true ? [['changed', 'these are the arguments of a person, not those of the model'] as const] : []),
    ...(injected === true ? [['made by', 'the definition of the agent, before its task, and not a model'] as const] : []),
    ['asked by', asks.length === 0 ? 'nobody who is named' : asks.join('\n')]
  ]
}

function describeQuestion(wait: WaitRow, { whole }: WaitAbout): readonly Row[] {
  const { question } = fieldsOf(wait.subject)
  const text = typeof question === 'string' ? question : toJsonText(wait.subject)
  const schema = schemaOf(wait)
  return [
    ['question', toVisibleText(cut(text, whole === true))],
    ...optionsOf(wait).map((option, index): Row => [index === 0 ? 'options' : '', `${index + 1}. ${toVisibleLine(option)}`]),
    ...(schema === undefined ? [] : [['must fit', showJson(schema, whole === true)] as const])
  ]
}

/** With what somebody can look whether it happened, and what may be said. */
function describeLost(wait: WaitRow, { whole }: WaitAbout): readonly Row[] {
  const { tool, startedAt, key } = fieldsOf(wait.subject)
  return [
    ['call', `${toVisibleLine(typeof tool === 'string' ? tool : 'a tool')}, was started, and nobody knows what became of it`],
    ['arguments', showJson(argumentsOf(wait), whole === true)],
    ...(typeof startedAt === 'number' ? [['started', new Date(startedAt).toISOString()] as const] : []),
    ...(typeof key === 'string' ? [['key', toVisibleLine(key, 500)] as const] : []),
    ['WORD', 'happened (--result: what it gave), not-happened (it runs again, under this key), or unknown (the agent is told so)']
  ]
}

/** What a tool waits for outside of its own process. */
function describeExternal(wait: WaitRow, { whole }: WaitAbout): readonly Row[] {
  const { tool, about } = fieldsOf(wait.subject)
  const schema = schemaOf(wait)
  return [
    ['result for', toVisibleLine(typeof tool === 'string' ? tool : 'a tool')],
    ['about', showJson(about ?? wait.subject, whole === true)],
    ...(schema === undefined ? [] : [['must fit', showJson(schema, whole === true)] as const])
  ]
}

/** How much was left when it came to hold. */
function describeBudget({ subject }: WaitRow): readonly Row[] {
  return [['budget', toBudgetReason(subject)], ...toBudgetBounds(subject).map((bound, index): Row => [index === 0 ? 'used' : '', bound])]
}

function describeOther({ kind, subject }: WaitRow): readonly Row[] {
  return [[kind, renderJson(subject, 1_000)]]
}

const DESCRIBERS: { readonly [kind in WaitRow['kind']]?: (wait: WaitRow, about: WaitAbout) => readonly Row[] } = {
  approval: describeCall,
  question: describeQuestion,
  outcome: describeLost,
  external: describeExternal,
  budget: describeBudget
}

function showJson(value: Json, whole: boolean): string {
  return toVisibleText(cut(toJsonText(value, 2), whole))
}

function cut(text: string, whole: boolean): string {
  if (whole || text.length <= MAX_ARGUMENTS_LENGTH) return text
  const left = text.length - MAX_ARGUMENTS_LENGTH
  const [from, to] = [MAX_ARGUMENTS_LENGTH - END_LENGTH, text.length - END_LENGTH]
  return `${text.slice(0, from)}\n... and ${plural(left, 'more character')} that ${left === 1 ? 'is' : 'are'} not shown, up to:\n${text.slice(to)}`
}

function fieldsOf(subject: Json): { readonly [key: string]: Json } {
  return typeof subject === 'object' && subject !== null && !Array.isArray(subject) ? (subject as { readonly [key: string]: Json }) : {}
}
