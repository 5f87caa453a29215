import type { Body, CallResult, Json, Part, TurnRecord } from '@holdfast/runtime'
import { toJsonText, toVisibleLine } from './visible-text.ts'

const MAX_LENGTH = 400

/** A turn as lines for people: what two branches are compared by. Points in time and what was paid are left out. */
export function renderRecord({ turn, prompt, failures, answer, calls, end }: TurnRecord): readonly string[] {
  return [
    `turn ${turn.slice(turn.lastIndexOf('/') + 1)}: ${prompt === null ? 'the calls of the definition' : line(answer?.model ?? prompt.model)}`,
    ...failures.map(({ why, error }) => `  no answer (${why})${error === undefined ? '' : `: ${line(error.message)}`}`),
    ...(answer === null ? [] : textOf(answer.parts)).map((text) => `  says: ${line(text)}`),
    ...calls.flatMap(({ tool, arguments: given, waits, outcome, result }) => [
      `  calls ${line(tool ?? 'a tool')} ${given === null ? '' : bodyText(given)}`.trimEnd(),
      ...waits.map(
        ({ kind, as, decision }) => `    ${kind} ${as ?? 'open'}${decision === undefined ? '' : `: ${line(toJsonText(decision))}`}`
      ),
      `    ${outcome ?? 'open'}${result === null ? '' : `: ${resultText(result)}`}`
    ]),
    ...(end === undefined ? [] : [`  run ${end.status}${end.why === undefined ? '' : `: ${line(end.why)}`}`])
  ]
}

function textOf(parts: Body<readonly Part[]>): readonly string[] {
  if (!('inline' in parts)) return [parts.preview]
  return parts.inline.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []))
}

function resultText(body: Body<CallResult>): string {
  if (!('inline' in body)) return line(body.preview)
  return line('error' in body.inline ? body.inline.error : textOfJson(body.inline.value))
}

function bodyText(body: Body): string {
  return line('inline' in body ? textOfJson(body.inline) : body.preview)
}

function textOfJson(value: Json): string {
  return typeof value === 'string' ? value : toJsonText(value)
}

function line(text: string): string {
  return toVisibleLine(text, MAX_LENGTH)
}
