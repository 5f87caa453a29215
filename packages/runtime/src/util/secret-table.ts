import type { Found } from './secret-search.ts'
import { SecretSearch } from './secret-search.ts'
import { HeldText } from './held-text.ts'

/** What is shorter would be found where it only looks like the value. */
const SHORTEST = 8
const LONGEST_NAME = 64
/** How often what a mark and the text around it may make together is looked for. */
const MAX_PASSES = 4

/** Values that must not stand in anything that is kept or shown, and the search for them. Empty, it does nothing. */
export class SecretTable {
  /** Names by value. */
  readonly #values = new Map<string, string>()
  /** Made when it is first needed after a value came. */
  #search: SecretSearch | null = null

  get size(): number {
    return this.#values.size
  }

  add(name: string, value: string): boolean {
    const text = value.trim().toWellFormed()
    if (text.length < SHORTEST) return false
    if (this.#values.has(text)) return true
    this.#values.set(text, toShownName(name))
    this.#search = null
    return true
  }

  has(text: string): boolean {
    return this.#values.size > 0 && this.#searched().has(text)
  }

  namesIn(text: string): readonly string[] {
    if (!this.has(text)) return []
    const places = this.#searched().find(text)
    return [...new Set(places.map(({ name }) => name))]
  }

  redact(text: string): string {
    if (!this.has(text)) return text
    let shown = text
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      shown = this.#replace(shown)
      if (!this.has(shown)) return shown
    }
    return ''
  }

  redactJson<T>(value: T): T {
    if (this.#values.size === 0) return value
    const text = JSON.stringify(value)
    if (text === undefined || !this.has(text)) return value
    const redacted = walk(value, (part) => this.redact(part))
    if (!this.has(JSON.stringify(redacted))) return redacted as T
    // A value that is itself JSON stands in no single text.
    const [name = ''] = this.namesIn(text)
    return walk(value, () => this.#mark(name)) as T
  }

  redactAll(texts: readonly string[]): readonly string[] {
    const joined = texts.join('')
    if (!this.has(joined)) return texts
    const places = this.#searched().find(joined)
    let offset = 0
    return texts.map((text) => {
      const from = offset
      offset += text.length
      return this.redact(this.#cutOut(joined, places, from, offset))
    })
  }

  stream(): { push(piece: string): string; end(): string } {
    return this.#values.size === 0 ? PLAIN : new HeldText(this.#searched(), (name) => this.#mark(name))
  }

  #searched(): SecretSearch {
    this.#search ??= new SecretSearch(this.#values)
    return this.#search
  }

  #replace(text: string): string {
    return this.#cutOut(text, this.#searched().find(text), 0, text.length)
  }

  /** A stretch of a text without the places; each is marked where it begins. */
  #cutOut(text: string, places: readonly Found[], from: number, until: number): string {
    let shown = ''
    let next = from
    for (const { start, end, name } of places) {
      if (end <= from || start >= until) continue
      if (start >= from) shown += text.slice(next, start) + this.#mark(name)
      next = Math.min(end, until)
    }
    return shown + text.slice(next, until)
  }

  /** A name may hold a value, and a value may look like a mark. */
  #mark(name: string): string {
    return [`[secret:${name}]`, '[secret]', '[hidden]'].find((mark) => !this.has(mark)) ?? ''
  }
}

/** The same JSON value with other texts. A number changes only into the text that it is replaced by. */
function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value === 'number') return toNumberOrText(value, change(String(value)))
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => walk(item, change))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), walk(item, change)]))
}

function toNumberOrText(value: number, text: string): number | string {
  return text === String(value) ? value : text
}

const PLAIN = { push: (piece: string): string => piece, end: (): string => '' }

/** Harmless in a text, in JSON, in a URL and on a terminal. */
function toShownName(name: string): string {
  return name.replace(/[^\w.:-]/g, '_').slice(0, LONGEST_NAME) || 'unnamed'
}
