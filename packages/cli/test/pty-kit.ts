import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { eventually } from './command-kit.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Somebody at a pseudo-terminal. */
export interface Typist {
  type(keys: string): void
  until(pattern: RegExp): Promise<void>
  shown(): string
  readonly ended: Promise<number>
}

/** Runs a line of the shell in which `holdfast` is the command, at a pseudo-terminal. */
export function atPseudoTerminal(cwd: string, line: string): Typist {
  const command = `holdfast() { '${process.execPath}' --conditions=@holdfast/source '${MAIN}' "$@"; }; ${line}`
  const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...env } = process.env
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env: { ...env, TERM: 'xterm', SHELL: '/bin/bash' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  let isOver = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const ended = new Promise<number>((resolve) =>
    child.on('close', (code) => {
      isOver = true
      resolve(code ?? -1)
    })
  )
  return {
    type: (keys) => void child.stdin.write(keys),
    until: async (pattern) => {
      await eventually(() => pattern.test(shown) || isOver)
      expect(shown).toMatch(pattern)
    },
    shown: () => shown,
    ended
  }
}
