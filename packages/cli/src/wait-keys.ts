import type { Decision, Json, JsonObject, WaitRow } from '@holdfast/runtime'
import { toJsonText } from './visible-text.ts'
import { argumentsOf, optionsOf, schemaOf } from './wait-text.ts'

/** What a person said about a held call or a question: a decision, what else is to be done, or what is wrong with what was typed. */
export type Said = Decision | 'whole' | 'later' | 'help' | { readonly problem: string }

export const KEYS_PROMPT = 'a approve, d deny, e edit, r/t/s remember, w whole, l later, ? help > '
export const REASON_PROMPT = 'Why? The agent reads it (return: no reason) > '
export const EDIT_PROMPT = 'Arguments as JSON > '
export const QUESTION_PROMPT = 'Answer (return: later) > '

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

/** The answer to a question: an option by its number or its text, JSON where something else than text is asked for, else the text. */
export function readAnswer(wait: WaitRow, line: string): Said {
  const text = line.trim()
  if (text === '') return 'later'
  const options = optionsOf(wait)
  const option = options.find((each) => each.toLowerCase() === text.toLowerCase()) ?? options[Number(text) - 1]
  return { decision: 'answer', answer: option ?? toAnswer(wait, text) }
}

/** A text as an answer: JSON where the question has a schema that is not one of text. */
export function toAnswer(wait: WaitRow | null, text: string): Json {
  const schema = wait === null ? undefined : schemaOf(wait)
  if (schema === undefined || schema['type'] === 'string') return text
  return parseJson(text) ?? text
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
