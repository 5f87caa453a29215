import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'

const BRIDGE = fileURLToPath(new URL('pseudo-terminal.py', import.meta.url))
/** Guards against hanging: many times what anything here takes. */
const PATIENCE_MS = 120_000

/** A command at a pseudo-terminal of the system, and whoever types there. */
export interface AtPseudoTerminal {
  type(keys: string): void
  /** Waits until something is shown that was not when it was last waited for. */
  until(pattern: RegExp): Promise<string>
  /** Everything that was shown, without what steers the terminal. */
  shown(): string
  /** The exit code, or 128 and the number of the signal. */
  readonly ended: Promise<number>
}

/** Runs a command at a pseudo-terminal, by way of Python. Killed at the end of the test when it still lives. */
export function atPseudoTerminal(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }
): AtPseudoTerminal {
  const child = spawn('python3', [BRIDGE, ...command], { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let raw = ''
  let seen = 0
  let isOver = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      raw += text
    })
  }
  // What is typed after the end is heard by nobody.
  child.stdin.on('error', () => undefined)
  const shown = (): string => stripVTControlCharacters(raw).replaceAll('\r', '')
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      isOver = true
      if (code === null) reject(new Error(`the terminal ended by ${signal}`))
      else resolve(code)
    })
  })
  ended.catch(() => undefined)
  return {
    ended,
    shown,
    type: (keys) => void child.stdin.write(keys),
    async until(pattern) {
      const late = Date.now() + PATIENCE_MS
      for (;;) {
        const found = pattern.exec(shown().slice(seen))
        if (found !== null) {
          seen += found.index + found[0].length
          return found[0]
        }
        if (isOver || Date.now() > late) throw new Error(`${pattern} was not shown:\n${shown()}`)
        await sleep(20)
      }
    }
  }
}
