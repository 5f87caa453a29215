import { describe, expect, test } from 'vitest'
import type { ProviderConfig } from '../src/index.ts'
import { createJsonFollower } from '../src/json-progress.ts'
import { askModel, modelOf, user } from './ask-model.ts'
import { DONE, events, namedEvents, startFakeProvider } from './fake-provider.ts'

function* chatStream(pieces: Iterable<string>): Generator<string> {
  const piece = (call: object): string => events({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] }).join('')
  yield piece({ id: 'a', type: 'function', function: { name: 'write', arguments: '' } })
  for (const text of pieces) yield piece({ function: { arguments: text } })
  yield* events({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })
  yield DONE
}

function* messageStream(pieces: Iterable<string>): Generator<string> {
  yield* namedEvents(
    { type: 'message_start', message: { id: 'm', role: 'assistant', model: 'c', content: [], usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'write', input: {} } }
  )
  for (const text of pieces)
    yield* namedEvents({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } })
  yield* namedEvents(
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' }
  )
}

function* cut(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

/** Counts the characters that anything in this process parses as JSON, until it is disposed of. */
function countParsed(): Disposable & { count(): number } {
  const { parse } = JSON
  let characters = 0
  JSON.parse = (text, reviver) => {
    characters += String(text).length
    return parse(text, reviver)
  }
  return {
    count: () => characters,
    [Symbol.dispose]: () => {
      JSON.parse = parse
    }
  }
}

interface Driver {
  readonly name: string
  readonly toConfig: (url: string) => ProviderConfig
  readonly toStream: (pieces: Iterable<string>) => Iterable<string>
}

const DRIVERS: readonly Driver[] = [
  { name: 'OpenAI Chat', toConfig: (baseURL) => ({ driver: 'openai', api: 'chat', baseURL }), toStream: chatStream },
  { name: 'Anthropic', toConfig: (baseURL) => ({ driver: 'anthropic', baseURL }), toStream: messageStream }
]

// B019
describe.each(DRIVERS)('arguments in tiny deltas from $name', ({ toConfig, toStream }) => {
  async function read(text: string, length: number, maxBytes?: number) {
    const chunks = [...toStream(cut(text, length))]
    await using server = await startFakeProvider({ chunks })
    const model = await modelOf(toConfig(server.url))
    using parsing = countParsed()
    const response = await askModel(model, [user('hi')], maxBytes === undefined ? {} : { maxBytes })
    return { response, streamed: chunks.join('').length, parsed: parsing.count() }
  }

  test('are put together without loss', async () => {
    const content = Array.from({ length: 30_000 }, (_, index) => (index % 10 === 0 ? '"\n'.charAt(index % 2) : 'x')).join('')
    const text = JSON.stringify({ path: 'a', content })
    const { response } = await read(text, 1)
    const [part] = response.kind === 'responded' ? response.parts : []
    expect(part?.type === 'tool-call' && JSON.parse(part.input)).toEqual({ path: 'a', content })
  })

  test('are not parsed again with every delta', async () => {
    const text = JSON.stringify({ content: 'y'.repeat(640_000) })
    const { response, streamed, parsed } = await read(text, 8)
    expect(response.kind).toBe('responded')
    expect(parsed).toBeGreaterThan(text.length)
    // Each event a few times on its way, and the whole a few times at its end. Again with each of 80,000 deltas would be thousands of times that.
    expect(parsed).toBeLessThan(4 * streamed)
  })

  test('are refused past the limit, also when they never end', async () => {
    function* endless(): Generator<string> {
      for (;;) yield 'x'.repeat(1000)
    }
    await using server = await startFakeProvider({ chunks: toStream(endless()) })
    const response = await askModel(await modelOf(toConfig(server.url)), [user('hi')], { maxBytes: 1_000_000 })
    expect(response).toMatchObject({ kind: 'failed', why: 'permanent', error: { code: 'response_too_large' } })
  })
})

// B019
test('the end of arguments is looked for in each character once', () => {
  const follower = createJsonFollower()
  const whole = JSON.stringify({ content: 'a"b'.repeat(10_000) })
  let looked = 0
  for (const text of cut(whole, 7)) {
    const counted = {
      length: text.length,
      charAt: (at: number) => {
        looked += 1
        return text.charAt(at)
      }
    }
    follower.push(counted as unknown as string)
  }
  expect(follower.progress()).toBe('complete')
  expect(looked).toBe(whole.length)
})

// B019
test('one line of megabytes in small pieces is read in one go', async () => {
  const [line = ''] = events({ choices: [{ index: 0, delta: { content: 'z'.repeat(4_000_000) } }] })
  const finish = events({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  await using server = await startFakeProvider({ chunks: [...cut(line, 512), ...finish, DONE] })
  const response = await askModel(await modelOf({ driver: 'openai', api: 'chat', baseURL: server.url }))
  expect(response).toMatchObject({ kind: 'responded', finish: 'stop' })
})
