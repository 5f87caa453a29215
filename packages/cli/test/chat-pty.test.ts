// The real process at a real pseudo-terminal: keys one by one, Ctrl-C as a key, and the terminal as it was found.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually, folderWith, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** That of util-linux, which can run a command and give its exit code. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
const required = process.env['HOLDFAST_REQUIRE'] === 'all'

interface Typist {
  type(keys: string): void
  until(pattern: RegExp): Promise<void>
  shown(): string
  readonly ended: Promise<number>
}

/** Runs a line of the shell in which `holdfast` is the command, at a pseudo-terminal. */
function atPseudoTerminal(cwd: string, line: string): Typist {
  const command = `holdfast() { '${process.execPath}' --conditions=@holdfast/source '${MAIN}' "$@"; }; ${line}`
  const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...env } = process.env
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env: { ...env, TERM: 'xterm', SHELL: '/bin/bash' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  return {
    type: (keys) => void child.stdin.write(keys),
    until: async (pattern) => {
      await eventually(() => pattern.test(shown) || child.exitCode !== null)
      expect(shown).toMatch(pattern)
    },
    shown: () => shown,
    ended: new Promise((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  }
}

describe.skipIf(!hasScript && !required)('holdfast chat at a pseudo-terminal (needs script of util-linux)', () => {
  test('talks, lets go at Ctrl-C, and goes on', async () => {
    const folder = folderWith(
      scriptedAgent([{ text: 'Good day.' }, calling('stamp'), { text: 'Here I am again.', delayMs: 2_000 }], { tools: ['stamp'] })
    )
    const first = atPseudoTerminal(folder, 'holdfast chat agent.yaml --tools tools.mjs')
    await first.until(/> /)
    first.type('good day\r')
    await first.until(/Good day\./)
    await first.until(/completed/)
    first.type('go on\r')
    await first.until(/stamp ok/)
    first.type('\u0003')
    expect(await first.ended).toBe(130)
    const thread = threadOf(first.shown())
    const second = atPseudoTerminal(folder, `holdfast chat agent.yaml ${thread}`)
    await second.until(/agent: Good day\./)
    await second.until(/Here I am again\./)
    await second.until(/completed/)
    second.type('\u0004')
    expect(await second.ended).toBe(0)
  })

  test('leaves the terminal as it found it', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'Hm.' }]))
    const talk = atPseudoTerminal(folder, 'stty -g > before; holdfast chat agent.yaml; stty -g > after; cmp before after && echo the same')
    await talk.until(/> /)
    talk.type('\u0004')
    await talk.until(/the same/)
  })
})
