import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import type { CommandIo } from '../src/command-io.ts'
import { runCommand } from '../src/program.ts'
import { eventually } from './command-kit.ts'

/** A command at a terminal that a test types at. */
export interface AtTerminal {
  /** Everything on the screen, one after another, without what steers the terminal. */
  screen(): string
  /** The same with it. */
  raw(): string
  /** Presses keys; `\r` is the return key. */
  type(keys: string): void
  /** Waits until something is shown that was not when it was last waited for. */
  until(pattern: RegExp): Promise<string>
  readonly ended: Promise<number>
}

/** Runs a command at a terminal of its own. Ctrl-C interrupts it. */
export function atTerminal(cwd: string, argv: readonly string[], env: { readonly [name: string]: string } = {}): AtTerminal {
  const interrupted = new AbortController()
  onTestFinished(() => interrupted.abort('SIGINT'))
  const input = new PassThrough()
  const output = new PassThrough()
  let raw = ''
  let seen = 0
  output.setEncoding('utf8').on('data', (text: string) => {
    raw += text
  })
  const sink = { isTTY: true, write: (text: string) => output.write(text) }
  const io: CommandIo = {
    stdin: input,
    stdout: sink,
    stderr: sink,
    env: { NO_COLOR: '1', ...env },
    cwd,
    signal: interrupted.signal,
    terminal: { input, output, interrupt: () => interrupted.abort('SIGINT') }
  }
  const ended = runCommand(argv, io)
  const screen = (): string => stripVTControlCharacters(raw).replaceAll('\r', '')
  return {
    ended,
    screen,
    raw: () => raw,
    type: (keys) => void input.write(keys),
    async until(pattern) {
      await eventually(() => pattern.test(screen().slice(seen)))
      const found = pattern.exec(screen().slice(seen))
      seen += (found?.index ?? 0) + (found?.[0].length ?? 0)
      return found?.[0] ?? ''
    }
  }
}
