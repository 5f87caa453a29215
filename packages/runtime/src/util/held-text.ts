import type { SecretSearch } from './secret-search.ts'

/**
 * Redacts a text that comes in pieces. What may be the beginning of a value is held back until the next pieces tell, never more than the longest
 * form is long.
 */
export class HeldText {
  readonly #search: SecretSearch
  readonly #mark: (name: string) => string
  #held = ''
  /** How much of what is held belongs to a value that was told already. */
  #told = 0

  constructor(search: SecretSearch, mark: (name: string) => string) {
    this.#search = search
    this.#mark = mark
  }

  /** Takes a piece and gives what can be shown now. */
  push(piece: string): string {
    const text = this.#held + piece
    return this.#show(text, this.#search.openEnd(text))
  }

  /** Gives what is left: nothing more comes. */
  end(): string {
    return this.#show(this.#held, this.#held.length)
  }

  #show(text: string, until: number): string {
    let shown = ''
    let from = this.#told
    for (const { start, end, name } of this.#search.find(text)) {
      if (start >= until) break
      if (start >= from) shown += text.slice(from, start) + this.#mark(name)
      from = Math.max(from, end)
    }
    if (from < until) shown += text.slice(from, until)
    this.#held = text.slice(until)
    this.#told = Math.max(0, from - until)
    return shown
  }
}
