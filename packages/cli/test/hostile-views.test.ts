// B111: every view that shows what others wrote, at a terminal: what waits, what tools say of themselves, paths and profiles.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Output } from '../src/output.ts'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const HOSTILE =
  '\u001b]52;c;aWQK\u0007 \u001b]8;;http://evil\u0007 \u001b[1A\u001b[2Kapproved \u009b31m \u0090q \u001bc \r \u202edesrever \u0007'
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const TTY = { tty: true, env: { NO_COLOR: '1' } }

const TOOLS = `
const hostile = ${JSON.stringify(HOSTILE)}
export const pay = {
  name: 'pay', description: hostile, effect: 'once', parallelSafe: true, approval: true,
  input: { kind: 'json', jsonSchema: { type: 'object', description: hostile, properties: { [hostile]: { type: 'string', description: hostile } } } },
  execute: () => hostile
}
`

function project(): string {
  const turns = [
    {
      text: HOSTILE,
      toolCalls: [
        { name: 'pay', arguments: { [HOSTILE]: HOSTILE } },
        { name: 'ask_user', arguments: { question: HOSTILE, options: [HOSTILE, 'b'] } }
      ]
    },
    { text: HOSTILE }
  ]
  const folder = folderWith({
    ...scriptedAgent(turns, { tools: ['pay', 'ask_user'], description: HOSTILE, systemPrompt: HOSTILE, metadata: { [HOSTILE]: HOSTILE } }),
    'tools.mjs': TOOLS,
    'holdfast.config.yaml': JSON.stringify({
      version: '1.0',
      tools: ['./tools.mjs'],
      models: { m: { provider: 'scripted', model: `./${HOSTILE}.yaml`, options: { scripted: { [HOSTILE]: HOSTILE } } } },
      onWait: { command: ['true', HOSTILE] },
      permissions: [{ effect: 'ask', tool: 'pay', when: { path: 'x', glob: HOSTILE } }]
    })
  })
  return folder
}

async function seen(folder: string, lines: readonly (readonly string[])[]): Promise<readonly unknown[]> {
  const steering: unknown[] = []
  for (const argv of lines) {
    const told = await holdfast(folder, argv, TTY)
    if (STEERING.test(told.stdout + told.stderr)) steering.push({ argv, ...told })
    // A view that shows nothing would prove nothing.
    expect(told.stdout + told.stderr).not.toBe('')
  }
  return steering
}

describe('what others wrote does not steer the terminal', () => {
  test('where something waits, and behind it', async () => {
    const folder = project()
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', HOSTILE], TTY))
    const items = JSON.parse((await holdfast(folder, ['waits', '--json'])).stdout).items as { id: string }[]
    expect(items).toHaveLength(2)
    const views = [['waits'], ...items.map(({ id }) => ['waits', id]), ['explain', thread], ['show', thread], ['resume', thread]]
    expect(await seen(folder, [...views, ['log', thread], ['log', thread, '--facts'], ['threads']])).toEqual([])
    const behind = [
      ['deny', thread, '--reason', HOSTILE],
      ['answer', thread, HOSTILE],
      ['show', thread],
      ['explain', thread],
      ['log', thread]
    ]
    const more = [['records', thread], ['usage'], ['budget', 'show', thread], ['retry', thread], ['message', thread, HOSTILE, '--detach']]
    expect(
      await seen(folder, [
        ...behind,
        ...more,
        ['cancel', thread, '--reason', HOSTILE],
        ['fork', thread, '--detach'],
        ['diff', thread, thread],
        ['rm', thread, '--force']
      ])
    ).toEqual([])
  })

  test('where the project is looked at', async () => {
    const folder = project()
    const views = [
      ['config', 'show'],
      ['models'],
      ['tools', 'agent.yaml'],
      ['doctor'],

      ['store', 'check']
    ]
    expect(await seen(folder, views)).toEqual([])
  })

  test('where a folder has such a name', async () => {
    const folder = join(folderWith(), HOSTILE.replaceAll('/', ''))
    mkdirSync(folder)
    for (const [path, text] of Object.entries(scriptedAgent([{ text: 'ok' }]))) writeFileSync(join(folder, path), text)
    writeFileSync(join(folder, 'holdfast.config.yaml'), 'version: "1.0"\nartifacts: ./bodies\n')
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml'], TTY))
    const views = [
      ['run', 'none.yaml'],
      ['config', 'show'],
      ['doctor'],
      ['store', 'check'],
      ['store', 'backup', 'b.db'],
      ['store', 'vacuum']
    ]
    const more = [
      ['export', thread, '-o', 'x.jsonl'],
      ['import', 'x.jsonl'],
      ['init', '.'],
      ['init', 'below'],
      ['run', 'agent.yaml', '--attach', 'none.png']
    ]
    expect(
      await seen(folder, [...views, ...more, ['run', 'agent.yaml', '--tools', 'none.mjs'], ['threads', '--store', 'none.db']])
    ).toEqual([])
  })

  test('where code of the user writes by itself', () => {
    const told: string[] = []
    const sink = { isTTY: true, write: (text: string) => told.push(text) }
    const io = { stdin: [] as never, stdout: sink, stderr: sink, env: {}, cwd: '/' }
    const secrets = { redact: (text: string) => text.replaceAll('hunter2', '[secret]') }
    new Output(io, { mode: 'text', quiet: false, color: false }, secrets).stray(`${HOSTILE} hunter2\n`)
    expect(told.join('')).not.toMatch(STEERING)
    expect(told.join('')).toContain('[secret]')
  })
})
