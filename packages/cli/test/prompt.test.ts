import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const AGENT = scriptedAgent([{ text: 'I look.', ...calling('echo', { text: 'x\u001b[2Jy' }) }, { text: 'ok' }], {
  tools: ['echo'],
  systemPrompt: 'You work for {{ city }}.',
  variables: [{ key: 'city', type: 'string', value: 'Rome' }],
  model: { provider: 'scripted', model: './script.yaml', settings: { temperature: 0.5 } }
})

async function started(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith(AGENT)
  return { folder, thread: threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])) }
}

describe('holdfast show --prompt', () => {
  test('shows all that the model was given at a turn, harmless on a terminal', async () => {
    const { folder, thread } = await started()
    const { code, stdout } = await holdfast(folder, ['show', thread, '--prompt', '2'], { tty: true })
    expect(code).toBe(0)
    expect(stdout).not.toContain('\u001b')
    const parts = [
      'system: You work for Rome.',
      'user: Do it.',
      'assistant: I look.',
      'assistant: calls echo',
      'tool: result of echo',
      'echo: Echoes.',
      '"type":"object"',
      '"temperature":0.5'
    ]
    for (const part of parts) expect(stdout).toContain(part)
    expect((await holdfast(folder, ['show', thread, '--prompt', '1'])).stdout).not.toContain('assistant')
  })

  test('gives it as one document, by number or by id', async () => {
    const { folder, thread } = await started()
    const told = JSON.parse((await holdfast(folder, ['show', thread, '--prompt', '2', '--json'])).stdout) as { turn: string }
    expect(told).toMatchObject({
      try: 1,
      model: 'scripted/./script.yaml',
      request: {
        temperature: 0.5,
        prompt: [{ role: 'system' }, { role: 'user' }, { role: 'assistant' }, { role: 'tool' }],
        tools: [{ name: 'echo' }]
      }
    })
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--prompt', told.turn, '--try', '1', '--json'])).stdout)).toEqual(told)
  })

  test.for([['3'], ['0'], ['run_x//1'], ['second']])('refuses the turn %s, which there is not', async ([turn]) => {
    const { folder, thread } = await started()
    const told = await holdfast(folder, ['show', thread, '--prompt', turn ?? '', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'invalid_input' } })
  })

  test('refuses a try that there was not, and a try of nothing', async () => {
    const { folder, thread } = await started()
    expect((await holdfast(folder, ['show', thread, '--prompt', '1', '--try', '2'])).code).toBe(2)
    expect((await holdfast(folder, ['show', thread, '--try', '1'])).code).toBe(2)
  })
})
