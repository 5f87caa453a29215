import type { Decision, Json, JsonObject, WaitRow } from '@holdfast/runtime'
import { toJsonText } from './visible-text.ts'
import { argumentsOf, optionsOf, schemaOf } from './wait-text.ts'

/** What a person said about a wait: a decision, what else is to be done, or what is wrong with what was typed. */
export type Said = Decision | 'whole' | 'later' | 'help' | { readonly problem: string }

export const KEYS_PROMPT = 'a approve, d deny, e edit, r/t/s remember, w whole, l later, ? help > '
export const REASON_PROMPT = 'Why? The agent reads it (return: no reason) > '
export const EDIT_PROMPT = 'Arguments as JSON > '
export const QUESTION_PROMPT = 'Answer (return: later, /decline: none) > '
export const OUTCOME_PROMPT = 'h happened, n did not happen, u unknown, w whole, l later, ? help > '
export const RESULT_PROMPT = 'What did it give? JSON or text; the agent reads it (return: not known) > '

export const HELP_LINES: readonly string[] = [
  '  a  approves this call: exactly what is shown runs, once',
  '  r  approves it, and until this run is over later calls of this tool that nobody else asks about',
  '  t  the same, in all runs of this thread',
  '  s  the same, but only calls with exactly the same arguments',
  '  e  changes the arguments and approves what they are then; the agent is told',
  '  d  denies; the agent is told, with the reason',
  '  w  shows all of the arguments',
  '  l  leaves it open: whoever decides later goes on with it'
]

/** What the keys mean where nobody knows what became of a call. */
export const OUTCOME_HELP_LINES: readonly string[] = [
  '  h  it happened; the agent reads what it gave',
  '  n  it did not happen: it runs again, under the same key',
  '  u  nobody knows: the agent is told so, and goes on',
  '  w  shows all of the arguments',
  '  l  leaves it open: whoever looks later says it'
]

const OUTCOME_KEYS: { readonly [key: string]: Said | 'happened' } = {
  h: 'happened',
  happened: 'happened',
  n: { decision: 'outcome', outcome: 'not_happened' },
  'not-happened': { decision: 'outcome', outcome: 'not_happened' },
  u: { decision: 'outcome', outcome: 'unknown' },
  unknown: { decision: 'outcome', outcome: 'unknown' },
  w: 'whole',
  l: 'later',
  later: 'later'
}

/** What a key says of a call of which nobody knows. An empty line says nothing. */
export function readOutcomeKey(line: string): Said | 'happened' {
  const key = line.trim().toLowerCase()
  return Object.hasOwn(OUTCOME_KEYS, key) ? (OUTCOME_KEYS[key] ?? 'help') : 'help'
}

/** That a call happened, with what somebody typed that it gave. */
export function readResult(line: string): Decision {
  const text = line.trim()
  return { decision: 'outcome', outcome: 'happened', ...(text === '' ? {} : { result: toJsonOrText(text) }) }
}

/** A refusal, with the reason that somebody typed. */
export function readDenial(line: string): Decision {
  const reason = line.trim()
  return { decision: 'deny', ...(reason === '' ? {} : { reason }) }
}

type Key = Said | 'deny' | 'edit'

const KEYS: { readonly [key: string]: Key } = {
  a: { decision: 'approve' },
  approve: { decision: 'approve' },
  r: { decision: 'approve', remember: 'run' },
  t: { decision: 'approve', remember: 'thread' },
  s: { decision: 'approve', remember: 'arguments' },
  d: 'deny',
  deny: 'deny',
  e: 'edit',
  edit: 'edit',
  w: 'whole',
  l: 'later',
  later: 'later',
  '?': 'help'
}

/** What a key means. Nothing approves but the keys that say so: an empty line is no answer. */
export function readKey(line: string): Key {
  const key = line.trim().toLowerCase()
  if (key === '') return 'help'
  return Object.hasOwn(KEYS, key) ? (KEYS[key] ?? 'help') : 'help'
}

/** The arguments of a call on one line, to be edited. */
export function toPrefill(wait: WaitRow): string {
  return toJsonText(argumentsOf(wait))
}

/** An approval with the arguments that somebody wrote. */
export function readEdited(text: string): Said {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'That is no JSON object: nothing is decided.' }
  return { decision: 'approve', arguments: value as JsonObject }
}

/** The answer to a question: an option by its number or its text, JSON where something else than text is asked for, else the text; or that there is none. */
export function readAnswer(wait: WaitRow, line: string): Said | 'deny' {
  const text = line.trim()
  if (text === '') return 'later'
  const options = optionsOf(wait)
  const option = options.find((each) => each.toLowerCase() === text.toLowerCase()) ?? options[Number(text) - 1]
  if (option === undefined && text.toLowerCase() === '/decline') return 'deny'
  return { decision: 'answer', answer: option ?? toAnswer(wait, text) }
}

/** A text as an answer: JSON where the schema is not one of text, or where a tool waits for a result. */
export function toAnswer(wait: WaitRow | null, text: string): Json {
  const schema = wait === null ? undefined : schemaOf(wait)
  if (schema === undefined ? wait?.kind !== 'external' : schema['type'] === 'string') return text
  return toJsonOrText(text)
}

/** What a text says as JSON; the text where it is none. */
export function toJsonOrText(text: string): Json {
  const value = parseJson(text)
  return value === undefined ? text : value
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
