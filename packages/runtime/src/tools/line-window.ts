import { cutText } from '../util/well-formed.ts'

/** Which lines of a text are kept, and how much of them. */
export interface LineWindowOptions {
  /** The first line, counted from 1. */
  readonly offset: number
  /** How many lines at most. */
  readonly limit: number
  /** How many UTF-16 units at most. */
  readonly maxLength: number
}

/** What was kept. */
export interface KeptLines {
  /** Lines with their line breaks. */
  readonly text: string
  /** The first and the last line in `text`; `to` is below `from` when there is none. */
  readonly from: number
  readonly to: number
  /** Whether `text` is only the beginning of its one line. */
  readonly isLineCut: boolean
  /** How many lines came. */
  readonly count: number
  /** Whether the last line that came had a line break at its end. */
  readonly isClosed: boolean
  /** How many line breaks came with a carriage return, and how many without. */
  readonly crlf: number
  readonly lf: number
}

/** Keeps some lines of a text that comes in pieces, and counts all of them. */
export class LineWindow {
  readonly #options: LineWindowOptions
  #kept = ''
  /** Where the line that comes now begins in what is kept. */
  #start = 0
  #line = 1
  #to: number
  #isCut = false
  #isClosed = true
  #endsInReturn = false
  #crlf = 0
  #lf = 0

  constructor(options: LineWindowOptions) {
    this.#options = options
    this.#to = options.offset - 1
  }

  /** Takes the next piece. */
  push(text: string): void {
    let at = 0
    while (at < text.length) {
      const next = text.indexOf('\n', at)
      const end = next < 0 ? text.length : next + 1
      this.#keep(text, at, end)
      this.#isClosed = next >= 0
      if (next >= 0) this.#endLine(next === 0 ? this.#endsInReturn : text[next - 1] === '\r')
      at = end
    }
    if (text !== '') this.#endsInReturn = text.endsWith('\r')
  }

  /** Whether nothing that comes can still be kept. */
  get isFull(): boolean {
    return this.#isCut || this.#line >= this.#options.offset + this.#options.limit
  }

  /** What was kept, when no more comes. */
  end(): KeptLines {
    const { offset } = this.#options
    const counts = {
      from: offset,
      count: this.#line - (this.#isClosed ? 1 : 0),
      isClosed: this.#isClosed,
      crlf: this.#crlf,
      lf: this.#lf
    }
    if (this.#isCut && this.#to < offset) return { ...counts, text: this.#kept, to: offset, isLineCut: true }
    if (this.#isCut) return { ...counts, text: this.#kept.slice(0, this.#start), to: this.#to, isLineCut: false }
    return { ...counts, text: this.#kept, to: this.#kept.length > this.#start ? this.#line : this.#to, isLineCut: false }
  }

  #keep(text: string, at: number, end: number): void {
    if (this.#line < this.#options.offset || this.isFull) return
    const room = this.#options.maxLength - this.#kept.length
    this.#isCut = end - at > room
    this.#kept += this.#isCut ? cutText(text.slice(at, end), room) : text.slice(at, end)
  }

  #endLine(isReturned: boolean): void {
    if (isReturned) this.#crlf += 1
    else this.#lf += 1
    if (this.#line >= this.#options.offset && !this.isFull) {
      this.#to = this.#line
      this.#start = this.#kept.length
    }
    this.#line += 1
  }
}
