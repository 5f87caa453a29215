import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling } from './scripted-agent.ts'
import type { Turn } from './scripted-agent.ts'

const SLOW_DOWN = { message: 'slow down', status: 429 }

/** An agent whose first model follows one script and whose second one another. */
function files(first: readonly Turn[], second: readonly Turn[], more: object = {}): { readonly [path: string]: string } {
  const config = {
    version: '1.0',
    models: {
      main: { provider: 'scripted', model: './main.yaml', fallbacks: [{ ref: 'small' }] },
      small: { provider: 'scripted', model: './small.yaml' }
    }
  }
  const asks = { model: { ref: 'main' }, prompt: 'Do it.', limits: { maxRetries: 0 }, tools: ['echo'], ...more }
  return {
    'holdfast.config.yaml': JSON.stringify(config),
    'agent.yaml': JSON.stringify({ schemaVersion: '1.0', name: 'tester', ...asks }),
    'main.yaml': JSON.stringify({ turns: first }),
    'small.yaml': JSON.stringify({ turns: second }),
    'tools.mjs': `export default [{ name: 'echo', description: 'Echoes.', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'read', parallelSafe: true, execute: () => 'said' }]`
  }
}

const TOOLS = ['--tools', 'tools.mjs']

describe('a model that stands in', () => {
  test('is named where the run is shown, with the one before it and the reason', async () => {
    const folder = folderWith(files([{ error: SLOW_DOWN }], [calling('echo'), { text: 'ok' }]))
    const ran = await holdfast(folder, ['run', 'agent.yaml', ...TOOLS])
    expect(ran).toMatchObject({ code: 0, stdout: 'ok\n' })
    const told = 'asking small (try 2) in place of main (rate_limited)'
    expect(ran.stderr).toContain(told)
    const thread = threadOf(ran)
    expect((await holdfast(folder, ['log', thread])).stdout).toContain(told)
    expect((await holdfast(folder, ['show', thread])).stdout).toContain('asking small in place of main (rate_limited)')
    const shown = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout) as { readonly transcript: unknown }
    expect(shown.transcript).toMatchObject([
      { role: 'message', text: 'Do it.' },
      { role: 'model', model: 'small', moved: { from: 'main', why: 'rate_limited', withheld: 0 } },
      { role: 'call', tool: 'echo' },
      { role: 'agent', text: 'ok' }
    ])
    for (const [number, model] of [
      ['1', 'main'],
      ['2', 'small']
    ] as const) {
      const prompt = await holdfast(folder, ['show', thread, '--prompt', '1', '--try', number, '--json'])
      expect(JSON.parse(prompt.stdout)).toMatchObject({ model, try: Number(number), request: { prompt: [{ role: 'user' }] } })
    }
  })
})

describe('a provider that asks for a pause of hours', () => {
  // B010
  test('leaves the run waiting, which says why and until when, and is gone on with later', async () => {
    const folder = folderWith(
      files([{ error: { ...SLOW_DOWN, retryAfter: 7_200 } }], [], { limits: {}, model: { ref: 'main', fallbacks: [] } })
    )
    const waits = await holdfast(folder, ['run', 'agent.yaml', ...TOOLS])
    expect(waits.code).toBe(3)
    const thread = threadOf(waits)
    const explained = (await holdfast(folder, ['explain', thread])).stdout
    for (const part of ['main', 'rate_limited', 'slow down', `holdfast resume ${thread}`]) expect(explained).toContain(part)
    expect(explained).toMatch(/That is at \d{4}-/)
    // Nothing has come about since: it still waits, and asks nobody.
    expect((await holdfast(folder, ['resume', thread, ...TOOLS])).code).toBe(3)
    expect((await holdfast(folder, ['cancel', thread])).code).toBe(0)
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)).toMatchObject({
      thread: { row: { status: 'cancelled' } },
      waits: []
    })
  })
})
