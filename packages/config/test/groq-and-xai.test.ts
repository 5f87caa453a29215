import { describe, expect, test } from 'vitest'
import { askModel, modelOf } from './ask-model.ts'
import { DONE, events, startFakeProvider } from './fake-provider.ts'

const chunk = (delta: object, more: object = {}): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more
})
const finish = (more: object): object => ({ ...chunk({}, more), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })

describe('the wire of Groq', () => {
  test.each([
    ['what it counted', { x_groq: { id: 'r', usage: { prompt_tokens: 11, completion_tokens: 7 } } }, { inputTokens: 11, outputTokens: 7 }],
    ['an estimate where it counted nothing', {}, { outputTokens: 2, estimated: true }],
    ['an estimate where it counted zero', { x_groq: { id: 'r', usage: {} } }, { outputTokens: 2, estimated: true }]
  ])('has %s', async (_name, more, usage) => {
    await using server = await startFakeProvider({
      chunks: [...events(chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hello.' }), finish(more)), DONE]
    })
    const model = await modelOf({ driver: 'groq', baseURL: server.url })
    expect(await askModel(model)).toMatchObject({ kind: 'responded', parts: [{ type: 'text', text: 'Hello.' }], usage })
  })

  test('may break with an error in its stream', async () => {
    const error = { error: { message: 'over capacity', type: 'server_error', code: 'over_capacity' } }
    await using server = await startFakeProvider({ chunks: [...events(chunk({ content: 'Hel' }), error), DONE] })
    const model = await modelOf({ driver: 'groq', baseURL: server.url })
    expect(await askModel(model)).toMatchObject({ kind: 'failed', why: 'transient', error: { code: 'provider_unavailable' } })
  })
})

describe('the wire of xAI', () => {
  test('is asked to keep nothing, and its reasoning goes back to it', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' }
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi.' }]
    }
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed' }
    await using server = await startFakeProvider({
      chunks: events(
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, encrypted_content: undefined } },
        { type: 'response.output_item.done', output_index: 0, item: reasoning },
        { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'Hi.' },
        { type: 'response.output_item.done', output_index: 1, item: message },
        {
          type: 'response.completed',
          response: { ...response, output: [reasoning, message], usage: { input_tokens: 11, output_tokens: 7 } }
        }
      )
    })
    const model = await modelOf({ driver: 'xai', baseURL: server.url })
    expect(await askModel(model)).toMatchObject({
      kind: 'responded',
      parts: [
        { type: 'reasoning', metadata: { xai: { reasoningEncryptedContent: 'sealed' } } },
        { type: 'text', text: 'Hi.' }
      ],
      usage: { inputTokens: 11, outputTokens: 7 }
    })
    expect(server.requests[0]).toMatchObject({ path: '/responses', body: { store: false, include: ['reasoning.encrypted_content'] } })
  })
})
