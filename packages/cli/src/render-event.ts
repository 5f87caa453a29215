import { toBudgetReason } from './render-budget.ts'
import type { Body, CallResult, Commit, CommittedEvent, FactOf, HoldfastEvent, Json, Part } from '@holdfast/runtime'
import { toInjectedPrompts } from './injected-calls.ts'
import { plural } from './plural.ts'
import { toJsonText, toVisibleLine } from './visible-text.ts'

/** One line for people about one event, or nothing when there is nothing to say. */
export type EventRenderer = (event: HoldfastEvent) => string | undefined

type ModelMove = NonNullable<FactOf<'turn.started'>['moved']>
type FactType = CommittedEvent['type']
type Data<T extends FactType> = FactOf<T>
/** What is known while events are read: which call is which tool, and whether answers are shown otherwise. */
interface Reading {
  readonly tools: Map<string, string>
  readonly live: boolean
}

type Lines = { readonly [T in FactType]?: (data: Data<T>, reading: Reading) => string | undefined }

/** How facts read. Those that say nothing to a person (or nothing that another one does not say) are left out. */
const LINES: Lines = {
  'attempt.claimed': ({ why, worker }) =>
    why === 'expired' || why === 'takeover' ? `taken over by ${toVisibleLine(worker)} (${why})` : undefined,
  'run.started': () => 'run started',
  'run.cancelRequested': ({ reason }) => `cancel requested: ${toVisibleLine(reason)}`,
  'run.ended': ({ status, why, error }) =>
    `run ${status}${error ? `: ${toVisibleLine(error.message)}` : why === undefined ? '' : `: ${why}`}`,
  'message.received': ({ source, parts, seen, interrupts }) =>
    `${source.kind} ${interrupts === undefined ? 'says' : 'interrupts'}: ${toVisibleLine(textOfBody(parts))}${
      seen === undefined ? '' : ` (seen as: ${toVisibleLine(textOfBody(seen))})`
    }`,
  'message.returned': ({ why, parts }) => `a message came back unread (${why})${parts ? `: ${toVisibleLine(textOfBody(parts))}` : ''}`,
  'item.discarded': ({ item, why }) => `${toVisibleLine(item)} was left aside: ${why}`,
  'prompts.injected': (data, reading) => renderInjected(data, reading),
  'turn.started': ({ turn, try: count, model, moved, hook }) =>
    hook === undefined
      ? `turn ${numberOf(turn)}: asking ${toVisibleLine(model)}${count > 1 ? ` (try ${count})` : ''}${moved ? renderMove(moved) : ''}`
      : `turn ${numberOf(turn)}: answered by the hook ${toVisibleLine(hook)}`,
  'model.responded': (data, reading) => renderAnswer(data, reading),
  'model.failed': ({ why, error }) =>
    why === 'interrupted' ? 'interrupted' : `no answer (${why})${error ? `: ${toVisibleLine(error.message)}` : ''}`,
  'call.gated': ({ call, verdict, by }, reading) =>
    verdict === 'run' ? undefined : `${nameOf(call, reading)}: ${verdict} by ${toVisibleLine(by)}`,
  'call.started': ({ call, try: count, leg }, reading) =>
    `${nameOf(call, reading)} ${leg > 1 ? `goes on (leg ${leg})` : 'started'}${count > 1 ? ` (try ${count})` : ''}`,
  'call.suspended': ({ call }, reading) => `${nameOf(call, reading)} waits in the middle of its work`,
  'call.reconciled': ({ call, said, error }, reading) =>
    `${nameOf(call, reading)} was asked what became of it: ${said}${error === undefined ? '' : ` (${toVisibleLine(error)})`}`,
  'call.settled': ({ call, outcome, result }, reading) => `${nameOf(call, reading)} ${outcome}: ${renderResult(bodyOf(result))}`,
  'turn.reviewed': ({ seen, withheld }) =>
    withheld ? 'nothing of the answer is seen or run' : seen && `the answer is seen as: ${toVisibleLine(textOfBody(seen))}`,
  'call.reviewed': ({ call, seen }, reading) =>
    seen === undefined ? undefined : `${nameOf(call, reading)} is shown to the model as: ${renderResult(bodyOf(seen))}`,
  'wait.opened': ({ kind, subject }) =>
    `waiting for ${kind}: ${kind === 'budget' ? toBudgetReason(bodyOf(subject) ?? null) : renderSubject(bodyOf(subject))}`,
  'wait.resolved': ({ as }) => `no longer waiting: ${as}`,
  'thread.forked': ({ from, at }) => `forked from ${toVisibleLine(from)} at commit ${at}`,
  'thread.repinned': ({ publication, by }) => `goes on with the publication ${publication.slice(0, 19)} (${by})`,
  'thread.moved': ({ to }) => `moved to ${toVisibleLine(to)}`
}

/**
 * A renderer for one stream of events; it remembers which call is which tool, also from what stands `before` the stream. Where answers are
 * shown while they come (`live`), their text is left out.
 */
export function createEventRenderer({
  before = [],
  live = false
}: {
  readonly before?: readonly Commit[]
  readonly live?: boolean
} = {}): EventRenderer {
  const reading: Reading = { tools: new Map(), live }
  for (const fact of before.flatMap(({ facts }) => facts)) {
    if (fact.type === 'model.responded') renderAnswer(fact, reading)
    else if (fact.type === 'prompts.injected') renderInjected(fact, reading)
  }
  return (event) => {
    if (event.type === 'run.settled') return undefined
    if (event.type === 'tool.progress') return `${nameOf(event.call, reading)}: ${toVisibleLine(event.text)}`
    return 'data' in event ? renderFact(event, reading) : undefined
  }
}

/** The texts of a message, one after another. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** What stands inline, or what is left of it to look at. */
export function bodyOf<T>(body: Body<T>): T | string {
  return 'inline' in body ? body.inline : `${body.preview} (${body.bytes} bytes)`
}

/** A result on one line: the value, or the error that the model read. */
export function renderResult(value: CallResult | string, maxLength = 200): string {
  if (typeof value === 'string') return toVisibleLine(value, maxLength)
  return 'error' in value ? toVisibleLine(value.error, maxLength) : renderJson(value.value, maxLength)
}

/** Any JSON on one line; text without its quotes. */
export function renderJson(value: Json, maxLength = 200): string {
  return toVisibleLine(typeof value === 'string' ? value : toJsonText(value), maxLength)
}

/** The names of the calls of an answer, by call: positions count the calls that the runtime itself runs. */
export function callsOf(
  turn: string,
  parts: readonly Part[]
): readonly { readonly call: string; readonly tool: string; readonly input: string }[] {
  return parts
    .filter((part) => part.type === 'tool-call')
    .filter((part) => part.providerExecuted !== true)
    .map((part, position) => ({ call: `${turn}.${position}`, tool: part.tool, input: part.input }))
}

function renderFact(event: CommittedEvent, reading: Reading): string | undefined {
  // The renderer of a type is given the data of that type: the table says so.
  const render = LINES[event.type] as ((data: CommittedEvent['data'], reading: Reading) => string | undefined) | undefined
  return render?.(event.data, reading)
}

/** Why another model is asked than before. */
export function renderMove({ from, why, withheld }: ModelMove): string {
  const because =
    why === 'back' || why === 'replaced'
      ? `, no longer ${toVisibleLine(from)}`
      : ` in place of ${toVisibleLine(from)} (${toVisibleLine(why)})`
  return withheld === 0 ? because : `${because}, without ${plural(withheld, 'part')} that others keep for themselves`
}

function renderAnswer({ turn, parts }: FactOf<'model.responded'>, reading: Reading): string | undefined {
  const value = bodyOf(parts)
  if (typeof value === 'string') return toVisibleLine(value)
  const calls = callsOf(turn, value)
  for (const { call, tool } of calls) reading.tools.set(call, tool)
  const lines = calls.map(({ tool, input }) => `calls ${toVisibleLine(tool)} ${toVisibleLine(input, 100)}`)
  const text = textOf(value).trim()
  if (text !== '' && !reading.live) lines.unshift(`agent says: ${toVisibleLine(text)}`)
  return lines.length === 0 ? undefined : lines.join('\n')
}

function renderInjected(fact: FactOf<'prompts.injected'>, reading: Reading): string {
  const prompts = toInjectedPrompts(fact)
  const calls = prompts.flatMap((prompt) => prompt.calls)
  for (const { call, tool } of calls) reading.tools.set(call, tool)
  const lines = calls.map(({ tool, input }) => `begins with the call ${toVisibleLine(tool)} ${toVisibleLine(input, 100)}`)
  return lines.length === 0 ? `begins with ${plural(prompts.length, 'initial prompt')}` : lines.join('\n')
}

/** What is waited for: the call or the question, without what a decision is made by beside it. */
function renderSubject(subject: Json): string {
  const {
    tool,
    arguments: given,
    question
  }: { readonly [field: string]: Json } = typeof subject === 'object' && subject !== null && !Array.isArray(subject)
    ? (subject as { readonly [field: string]: Json })
    : {}
  if (typeof question === 'string') return toVisibleLine(question)
  return typeof tool === 'string' ? `${toVisibleLine(tool)} ${renderJson(given ?? null)}` : renderJson(subject)
}

/** The text of a message as far as it can be looked at. */
export function textOfBody(parts: Body<readonly Part[]>): string {
  const value = bodyOf(parts)
  return typeof value === 'string' ? value : textOf(value)
}

function nameOf(call: string, reading: Reading): string {
  return toVisibleLine(reading.tools.get(call) ?? `call ${call}`)
}

function numberOf(turn: string): string {
  return turn.slice(turn.lastIndexOf('/') + 1)
}
