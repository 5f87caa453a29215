import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const MODELS = {
  main: { provider: 'scripted', model: './script.yaml', fallbacks: [{ ref: 'small' }, { provider: 'openai', model: 'gpt-5' }] },
  small: { provider: 'scripted', model: './script.yaml' }
}
const configOf = (more: object): string => JSON.stringify({ version: '1.0', ...more })

describe('fallbacks', () => {
  test('of a profile stand in the publication of a thread that is started with it', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }], { model: { ref: 'main' } }),
      'holdfast.config.yaml': configOf({ models: MODELS })
    })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const { stdout } = await holdfast(folder, ['export', thread])
    const publication = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { readonly type: string; readonly definition?: { readonly model: unknown } })
      .find(({ type }) => type === 'publication')
    expect(publication?.definition?.model).toEqual({ ref: 'main', fallbacks: MODELS.main.fallbacks })
  })

  test.each([
    ['profile', [{ ref: 'smal' }], 'small'],
    ['provider', [{ provider: 'opneai', model: 'm' }], 'openai']
  ])('of an agent that name no %s are refused before anything runs', async (_, fallbacks, nearMiss) => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }], { model: { ref: 'main', fallbacks } }),
      'holdfast.config.yaml': configOf({ models: MODELS })
    })
    const told = await holdfast(folder, ['run', 'agent.yaml', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'model_unknown', details: { nearMiss } } })
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  })
})

describe('the engine of the command', () => {
  test('holds a thread as long as the configuration says', async () => {
    const folder = folderWith({
      ...scriptedAgent([calling('pay', { ms: 20_000 }), { text: 'ok' }], { tools: ['pay'] }),
      'holdfast.config.yaml': configOf({ engine: { leaseMs: 600_000 } })
    })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    const thread = threadOf(await running.until(/thread thr_\w+/))
    await running.until(/pay/)
    const { stdout } = await holdfast(folder, ['show', thread, '--json'])
    const { thread: info } = JSON.parse(stdout) as { readonly thread: { readonly owner?: { readonly leaseUntil: number } } }
    expect(info.owner?.leaseUntil).toBeGreaterThan(Date.now() + 300_000)
    running.child.kill('SIGKILL')
  })
})
