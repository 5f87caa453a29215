import type { HoldfastEvent } from '@holdfast/runtime'
import { bodyOf, textOf } from './render-event.ts'
import type { Output } from './output.ts'

/** Shows answers on a terminal while they come, and remembers which one has been shown, so that it is not printed twice. */
export class LiveText {
  readonly #output: Output
  #turn = ''
  #shown = ''

  constructor(output: Output) {
    this.#output = output
  }

  take(event: HoldfastEvent): void {
    if (!this.#output.live) return
    if (event.type === 'text.delta') this.#add(event.turn, event.text)
    else if (event.type === 'try.reset' && event.turn === this.#turn && this.#shown !== '') {
      this.#output.progress('the answer broke off and is asked for again')
      this.#shown = ''
    } else if (event.type === 'model.responded' && 'data' in event) this.#complete(String(event.data['turn']), event.data)
  }

  /** Whether this text stands on the terminal already, as the last thing that was said. */
  hasShown(text: string): boolean {
    return this.#shown !== '' && this.#shown.trim() === text.trim()
  }

  /** The last thing that was said, read as JSON. */
  asJson(): unknown {
    try {
      return JSON.parse(this.#shown)
    } catch {
      return undefined
    }
  }

  #add(turn: string, text: string): void {
    if (turn !== this.#turn) {
      this.#output.breakLine()
      this.#turn = turn
      this.#shown = ''
    }
    this.#shown += text
    this.#output.stream(text)
  }

  /** What was committed counts: what nobody saw come, or not from its beginning, is shown whole. */
  #complete(turn: string, data: { readonly [key: string]: unknown }): void {
    this.#output.breakLine()
    const parts = bodyOf(data['parts'] as Parameters<typeof bodyOf>[0])
    const text = Array.isArray(parts) ? textOf(parts) : ''
    if (turn === this.#turn && text === this.#shown) return
    this.#turn = turn
    this.#shown = text
    this.#output.stream(text)
    this.#output.breakLine()
  }
}
