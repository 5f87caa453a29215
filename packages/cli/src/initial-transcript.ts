// The log says what a thread is to begin with; what has come of it so far follows from what is said of its calls.
import type { Fact } from '@holdfast/runtime'
import type { PromptWithCalls } from './injected-calls.ts'
import { isInjected, toInjectedPrompts } from './injected-calls.ts'

/** What a transcript does with a prompt that has its turn. */
type Place = (prompt: PromptWithCalls) => void

/** Follows the initial prompts of a thread: which of them are said, and which are left out because a call before them has waited. */
export class InitialTranscript {
  readonly #place: Place
  #left: PromptWithCalls[] = []
  #isHeld = false
  #isOver = true

  constructor(place: Place) {
    this.#place = place
  }

  /** Whether what is said now stands behind them. */
  get isOver(): boolean {
    return this.#isOver
  }

  add(fact: Fact): void {
    if (fact.type === 'prompts.injected') this.#begin(toInjectedPrompts(fact))
    else if (this.#isOver) return
    else if (fact.type === 'turn.started') this.#end()
    else if (fact.type === 'run.ended') this.#isOver = true
    else if ('call' in fact && fact.call !== undefined && isInjected(fact.call)) {
      this.#placeThrough(fact.call)
      if (fact.type === 'wait.opened' && fact.kind !== 'outcome') this.#isHeld = true
    }
  }

  #begin(prompts: readonly PromptWithCalls[]): void {
    this.#left = [...prompts]
    this.#isOver = false
    const first = prompts.flatMap(({ calls }) => calls)[0]
    if (first === undefined) this.#end()
    else this.#placeThrough(first.call)
  }

  /** A call of which something is known has been made, and so has everything before it. */
  #placeThrough(call: string): void {
    const last = this.#left.findIndex(({ calls }) => calls.some((each) => each.call === call))
    for (const prompt of this.#left.splice(0, last + 1)) this.#place(prompt)
  }

  #end(): void {
    if (!this.#isHeld) for (const prompt of this.#left) this.#place(prompt)
    this.#left = []
    this.#isOver = true
  }
}
