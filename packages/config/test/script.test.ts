import { describe, expect, test } from 'vitest'
import { parseScript } from '../src/index.ts'
import { problemsOf } from './problems-of.ts'

describe('the file of a scripted model', () => {
  test('is read with every field of a turn', async () => {
    const text = `
turns:
  - reasoning: hm
    text: ok
    toolCalls: [{ name: get, arguments: { k: 1 } }, { name: now }]
    usage: { inputTokens: 9, outputTokens: 1 }
    delayMs: 5
    when: hello
  - error: { status: 429, retryAfter: 2, message: slow }
`
    expect(await parseScript(text, 'demo.script.yaml')).toEqual({
      turns: [
        {
          reasoning: 'hm',
          text: 'ok',
          toolCalls: [{ name: 'get', arguments: { k: 1 } }, { name: 'now' }],
          usage: { inputTokens: 9, outputTokens: 1 },
          delayMs: 5,
          when: 'hello'
        },
        { error: { status: 429, retryAfter: 2, message: 'slow' } }
      ]
    })
  })

  test('tells what is wrong with it', async () => {
    const text = 'turns:\n  - txt: a\n  - toolCalls: [{ tool: get }]\n  - delayMs: -1\n'
    expect(await problemsOf(parseScript(text, 's.yaml'))).toMatchObject([
      { code: 'unknown_field', line: 2, path: 'turns[0].txt', nearMiss: 'text' },
      { code: 'missing', line: 3, path: 'turns[1].toolCalls[0].name' },
      { code: 'unknown_field', line: 3, path: 'turns[1].toolCalls[0].tool' },
      { code: 'invalid', line: 4, path: 'turns[2].delayMs' }
    ])
  })
})
