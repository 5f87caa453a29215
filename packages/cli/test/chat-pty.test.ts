// The real process at a real pseudo-terminal: keys one by one, Ctrl-C as a key, and the terminal as it was found.
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, threadOf } from './command-kit.ts'
import { atPseudoTerminal } from './pty-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

/** That of util-linux, which can run a command and give its exit code. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
const required = process.env['HOLDFAST_REQUIRE'] === 'all'

describe.skipIf(!hasScript && !required)('holdfast chat at a pseudo-terminal (needs script of util-linux)', () => {
  test('talks, lets go at Ctrl-C, and goes on', async () => {
    const files = (delayMs: number) =>
      scriptedAgent([{ text: 'Good day.' }, calling('stamp'), { text: 'Here I am again.', delayMs }], { tools: ['stamp'] })
    const folder = folderWith(files(600_000))
    const first = atPseudoTerminal(folder, 'holdfast chat agent.yaml --tools tools.mjs')
    await first.until(/> /)
    first.type('good day\r')
    await first.until(/Good day\./)
    await first.until(/completed/)
    first.type('go on\r')
    await first.until(/stamp ok/)
    first.type('\u0003')
    expect(await first.ended).toBe(130)
    addFiles(folder, files(0))
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
