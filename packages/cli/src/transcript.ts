import type { CallResult, Commit, Fact, FactOf, Principal, ThreadHandle } from '@holdfast/runtime'
import { isRuntimeError } from './failure.ts'
import { InitialTranscript } from './initial-transcript.ts'
import { bodyOf, callsOf, renderMove, renderResult, textOf, textOfBody } from './render-event.ts'
import { toVisibleLine, toVisibleText } from './visible-text.ts'

/** One entry of a conversation as people read it. */
export type TranscriptEntry =
  /** `seen`: what hooks left to be seen in its place; null: nothing. */
  | {
      readonly role: 'message'
      readonly at: number
      readonly from: Principal['kind'] | 'definition'
      readonly text: string
      readonly seen?: string
    }
  | { readonly role: 'agent'; readonly at: number; readonly text: string; seen?: string | null }
  /** Another model is asked from here on. */
  | { readonly role: 'model'; readonly at: number; readonly model: string; readonly moved: NonNullable<FactOf<'turn.started'>['moved']> }
  | {
      readonly role: 'call'
      readonly at: number
      readonly call: string
      readonly tool: string
      readonly input: string
      outcome?: FactOf<'call.settled'>['outcome']
      result?: CallResult | string
      /** What hooks had the model shown in its place. */
      seen?: CallResult | string
    }

const PAGE_BYTES = 4 * 1024 * 1024

/** Reads a thread's conversation off its log: messages, answers, calls with their results, in the order in which they were said. */
export async function readTranscript(thread: ThreadHandle): Promise<readonly TranscriptEntry[]> {
  const transcript = new Transcript()
  let from = 1
  for (;;) {
    const page = await readPage(thread, from)
    for (const commit of page) transcript.add(commit)
    const last = page.at(-1)
    if (last === undefined) return transcript.entries
    from = last.sequence + 1
  }
}

/** What was said is shown whole; by its beginning where that is damaged, for whoever looks wants to see what there is. */
async function readPage(thread: ThreadHandle, from: number): Promise<readonly Commit[]> {
  try {
    return await thread.log(from, PAGE_BYTES, { bodies: 'whole' })
  } catch (error) {
    if (!isRuntimeError(error) || (error.code !== 'artifact_missing' && error.code !== 'artifact_corrupt')) throw error
    return thread.log(from, PAGE_BYTES)
  }
}

/** An entry for a terminal. Texts of several lines are indented behind who says them. */
export function renderEntry(entry: TranscriptEntry): string {
  switch (entry.role) {
    case 'message':
      return `${entry.from}: ${indent(entry.text)}${renderSeen(entry.seen)}`
    case 'agent':
      return `agent: ${indent(entry.text)}${renderSeen(entry.seen)}`
    case 'model':
      return `  asking ${toVisibleLine(entry.model)}${renderMove(entry.moved)}`
    case 'call': {
      const end = entry.outcome === undefined ? 'open' : `${entry.outcome}: ${renderResult(entry.result ?? '')}`
      const seen = entry.seen === undefined ? '' : ` (shown to the model: ${renderResult(entry.seen)})`
      return `  ${toVisibleLine(entry.tool)} ${toVisibleLine(entry.input, 100)} -> ${end}${seen}`
    }
  }
}

function renderSeen(seen: string | null | undefined): string {
  if (seen === undefined) return ''
  return seen === null ? '\n    (withheld)' : `\n    (seen as: ${indent(seen)})`
}

class Transcript {
  readonly #entries: TranscriptEntry[] = []
  /** What was said while the initial prompts were not over. */
  readonly #behind: TranscriptEntry[] = []
  readonly #initial = new InitialTranscript(({ text, calls }) => {
    if (text.trim() !== '') this.#entries.push({ role: 'message', at: this.#at, from: 'definition', text })
    for (const { call, tool, input } of calls) this.#addCall({ role: 'call', at: this.#at, call, tool, input })
  })
  #at = 0
  readonly #calls = new Map<string, Extract<TranscriptEntry, { role: 'call' }>>()
  /** The last one, when it has a text. */
  #answer: Extract<TranscriptEntry, { role: 'agent' }> | null = null

  get entries(): readonly TranscriptEntry[] {
    return [...this.#entries, ...this.#behind]
  }

  add({ at, facts }: Commit): void {
    this.#at = at
    for (const fact of facts) {
      this.#initial.add(fact)
      if (this.#initial.isOver) this.#entries.push(...this.#behind.splice(0))
      this.#addFact(fact, at)
    }
  }

  #addFact(fact: Fact, at: number): void {
    if (fact.type === 'message.received') {
      const seen = fact.seen === undefined ? {} : { seen: textOfBody(fact.seen) }
      const entries = this.#initial.isOver ? this.#entries : this.#behind
      entries.push({ role: 'message', at, from: fact.source.kind, text: textOfBody(fact.parts), ...seen })
    } else if (fact.type === 'model.responded') this.#addAnswer(fact, at)
    else if (fact.type === 'turn.reviewed') this.#reviewAnswer(fact)
    else if (fact.type === 'call.settled') this.#settle(fact)
    else if (fact.type === 'call.reviewed') this.#review(fact)
    else if (fact.type === 'turn.started' && fact.moved) this.#entries.push({ role: 'model', at, model: fact.model, moved: fact.moved })
  }

  #addAnswer({ turn, parts }: Extract<Fact, { type: 'model.responded' }>, at: number): void {
    const value = bodyOf(parts)
    const text = typeof value === 'string' ? value : textOf(value)
    this.#answer = text.trim() === '' ? null : { role: 'agent', at, text }
    if (this.#answer) this.#entries.push(this.#answer)
    for (const { call, tool, input } of typeof value === 'string' ? [] : callsOf(turn, value)) {
      this.#addCall({ role: 'call', at, call, tool, input })
    }
  }

  #addCall(entry: Extract<TranscriptEntry, { role: 'call' }>): void {
    this.#calls.set(entry.call, entry)
    this.#entries.push(entry)
  }

  #reviewAnswer({ seen, withheld }: Extract<Fact, { type: 'turn.reviewed' }>): void {
    const entry = this.#answer
    if (entry === null || (seen === undefined && !withheld)) return
    entry.seen = seen === undefined ? null : textOfBody(seen)
  }

  #settle({ call, outcome, result }: Extract<Fact, { type: 'call.settled' }>): void {
    const entry = this.#calls.get(call)
    if (entry === undefined) return
    entry.outcome = outcome
    entry.result = bodyOf(result)
  }

  #review({ call, seen }: Extract<Fact, { type: 'call.reviewed' }>): void {
    const entry = this.#calls.get(call)
    if (entry !== undefined && seen !== undefined) entry.seen = bodyOf(seen)
  }
}

function indent(text: string): string {
  return toVisibleText(text.trimEnd()).replaceAll('\n', '\n    ')
}
