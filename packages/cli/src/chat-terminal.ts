import type { Interface, Key } from 'node:readline'
import { createInterface } from 'node:readline'
import type { Terminal } from './command-io.ts'
import { MessageLines } from './input-lines.ts'
import type { LinePrompt, QuestionOptions } from './line-prompt.ts'
import type { Output } from './output.ts'

/** Where messages come from. */
export interface ChatInput extends AsyncIterable<string>, LinePrompt, Disposable {
  /** Told when the agent begins to work, and when it rests. */
  setBusy(isBusy: boolean): void
  /** Asks for the next message where that can be seen. */
  ask(): void
}

const PROMPT = '> '
const PROMPT_MORE = '. '
const HISTORY_SIZE = 500
/** Terminals then say where pasted text begins and ends. */
const PASTE_ON = '\u001b[?2004h'
const PASTE_OFF = '\u001b[?2004l'

/**
 * Messages that a person types. While the agent works there is no prompt; whoever begins to type gets one, and what the agent says
 * waits until the line is done.
 */
export function createTerminalInput(terminal: Terminal, output: Output, history: readonly string[]): ChatInput {
  return new TerminalInput(terminal, output, history)
}

class TerminalInput implements ChatInput {
  readonly #terminal: Terminal
  readonly #output: Output
  readonly #readline: Interface
  readonly #lines = new MessageLines()
  readonly #messages: string[] = []
  #wake: (() => void) | undefined
  #isClosed = false
  #isBusy = false
  #isTyping = false
  #isPasting = false
  /** A question that the next line answers. */
  #answer: ((line: string | null) => void) | undefined
  /** Told when the line is done that is being typed. */
  #onTyped: (() => void) | undefined
  readonly #onKey = (_text: string | undefined, key: Key): void => this.#takeKey(key)

  constructor(terminal: Terminal, output: Output, history: readonly string[]) {
    const { input, output: screen } = terminal
    this.#terminal = terminal
    this.#output = output
    this.#readline = createInterface({
      input,
      output: screen,
      terminal: true,
      prompt: PROMPT,
      history: [...history],
      historySize: HISTORY_SIZE,
      removeHistoryDuplicates: true
    })
    this.#readline.on('line', (line) => this.#takeLine(line))
    this.#readline.on('SIGINT', () => terminal.interrupt())
    // An answer is no message to be sent again.
    this.#readline.on('history', (lines: string[]) => {
      if (this.#answer !== undefined) lines.shift()
    })
    this.#readline.on('close', () => {
      // The prompt is left behind.
      if (!this.#isClosed && !this.#isBusy) screen.write('\n')
      this.#isClosed = true
      this.#answer?.(null)
      this.#onTyped?.()
      this.#wake?.()
    })
    // Before the line is changed by the key.
    input.prependListener('keypress', this.#onKey)
    screen.write(PASTE_ON)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const message = this.#messages.shift()
      if (message !== undefined) yield message
      else if (this.#isClosed) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy
    if (isBusy) {
      // A line that was begun goes on to be typed in peace.
      if (this.#readline.line !== '') this.#beginTyping()
      return
    }
    // What was typed so far is shown again, behind what the agent said meanwhile.
    if (this.#isTyping) this.#terminal.output.write('\n')
    this.#stopTyping()
    this.ask()
  }

  async question(text: string, { signal, prefill }: QuestionOptions): Promise<string | null> {
    // A line that was begun before the question was seen is a message.
    if (this.#isTyping) await this.#untilTyped(signal)
    if (this.#isClosed || signal.aborted) return null
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const stop = (): void => {
      this.#terminal.output.write('\n')
      resolve(null)
    }
    this.#answer = resolve
    this.#output.hold()
    this.#readline.setPrompt(text)
    this.#readline.prompt()
    if (prefill !== undefined) this.#readline.write(prefill)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stop)
      this.#answer = undefined
      // Nothing of an answer that was not finished becomes part of a message.
      this.#readline.write(null, { ctrl: true, name: 'e' })
      this.#readline.write(null, { ctrl: true, name: 'u' })
      this.#output.release()
    }
  }

  ask(): void {
    if (this.#isBusy || this.#isClosed) return
    this.#readline.setPrompt(this.#lines.isOpen ? PROMPT_MORE : PROMPT)
    this.#readline.prompt(true)
  }

  [Symbol.dispose](): void {
    this.#terminal.input.removeListener('keypress', this.#onKey)
    this.#stopTyping()
    this.#readline.close()
    this.#terminal.output.write(PASTE_OFF)
  }

  #takeKey(key: Key): void {
    if (key.name === 'paste-start') this.#isPasting = true
    if (key.name === 'paste-end') {
      this.#isPasting = false
      if (this.#lines.isOpen) this.ask()
    }
    const begins = key.ctrl !== true && key.name !== 'return' && key.name !== 'enter'
    if (this.#isBusy && this.#answer === undefined && begins) this.#beginTyping()
  }

  async #untilTyped(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onTyped = resolve
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
  }

  #beginTyping(): void {
    if (this.#isTyping) return
    this.#isTyping = true
    this.#output.hold()
    this.#readline.setPrompt(this.#lines.isOpen ? PROMPT_MORE : PROMPT)
    this.#readline.prompt(true)
  }

  #takeLine(line: string): void {
    if (this.#answer !== undefined) {
      this.#answer(line)
      return
    }
    const message = this.#lines.push(line, { pasted: this.#isPasting })
    if (message === undefined) {
      if (!this.#isPasting && (this.#lines.isOpen || !this.#isBusy)) this.#askAgain()
      else if (!this.#lines.isOpen) this.#stopTyping()
      return
    }
    this.#stopTyping()
    this.#messages.push(message)
    this.#wake?.()
  }

  #askAgain(): void {
    this.#readline.setPrompt(this.#lines.isOpen ? PROMPT_MORE : PROMPT)
    this.#readline.prompt()
  }

  #stopTyping(): void {
    this.#isTyping = false
    this.#output.release()
    this.#onTyped?.()
    this.#onTyped = undefined
  }
}
