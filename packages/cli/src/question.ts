import { createInterface } from 'node:readline/promises'
import type { CommandContext } from './command-context.ts'

/** Asks a person at the terminal; only `y` and `yes` agree. Where nobody can be asked the command line itself was the word. */
export async function agrees(question: string, { io, interruption }: CommandContext): Promise<boolean> {
  const { terminal } = io
  if (terminal === undefined) return true
  const readline = createInterface({ input: terminal.input, output: terminal.output, terminal: true })
  // The end of the input is no answer.
  const closed = new Promise<string>((resolve) => readline.once('close', () => resolve('')))
  readline.on('SIGINT', () => terminal.interrupt())
  try {
    const answer = await Promise.race([readline.question(question, { signal: interruption.signal }), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    readline.close()
  }
}
