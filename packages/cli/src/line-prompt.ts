import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Terminal } from './command-io.ts'

/** Where a person is asked for one line. */
export interface LinePrompt {
  /** Gives the line; null when the input has ended or the signal came: nobody has answered. */
  question(text: string, options: QuestionOptions): Promise<string | null>
}

/** How a line is asked for. */
export interface QuestionOptions {
  readonly signal: AbortSignal
  /** What stands in the line already, to be changed. One line that is fit for a terminal. */
  readonly prefill?: string
}

/** What was typed before anybody could read the question is no answer to it: for so long it is thrown away. */
const DEAF_MS = 100

/** Asks at a terminal that nobody else reads from. */
export function createLinePrompt(terminal: Terminal): LinePrompt {
  return { question: (text, options) => askOnce(terminal, text, options) }
}

async function askOnce(terminal: Terminal, text: string, { signal, prefill }: QuestionOptions): Promise<string | null> {
  const { input, output } = terminal
  const readline = createInterface({ input, output, terminal: true, historySize: 0 })
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const stop = (): void => resolve(null)
  let isDeaf = true
  readline.on('line', (line) => {
    if (!isDeaf) resolve(line)
  })
  readline.on('close', stop)
  readline.on('SIGINT', () => terminal.interrupt())
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) return null
    await Promise.race([sleep(DEAF_MS), promise])
    isDeaf = false
    readline.write(null, { ctrl: true, name: 'e' })
    readline.write(null, { ctrl: true, name: 'u' })
    readline.setPrompt(text)
    readline.prompt()
    if (prefill !== undefined) readline.write(prefill)
    return await promise
  } finally {
    signal.removeEventListener('abort', stop)
    // The next line begins at its beginning.
    if (signal.aborted) output.write('\n')
    readline.close()
  }
}
