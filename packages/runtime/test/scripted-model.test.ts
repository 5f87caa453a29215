import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { LanguageModel } from '../src/contracts/model.ts'
import { classifyModelError } from '../src/effects/model-failure.ts'
import type { ResponseDelta } from '../src/effects/read-parts.ts'
import type { ModelResponse } from '../src/effects/read-response.ts'
import { readResponse } from '../src/effects/read-response.ts'
import { answeringModel, scriptedModel } from '../src/models/scripted-model.ts'

const user = (text: string): LanguageModelV4Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] })
const said = (text: string): LanguageModelV4Prompt[number] => ({ role: 'assistant', content: [{ type: 'text', text }] })
const called = (...ids: string[]): LanguageModelV4Prompt[number] => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'get', input: {} }))
})
const result = (toolCallId: string, value: string): LanguageModelV4Prompt[number] => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'get', output: { type: 'text', value } }]
})

async function ask(model: LanguageModel, prompt: LanguageModelV4Prompt, signal = new AbortController().signal): Promise<ModelResponse> {
  try {
    const { stream } = await model.doStream({ prompt, abortSignal: signal })
    return await readResponse(stream, { signal, maxBytes: 1_000_000 })
  } catch (error) {
    return { kind: 'failed', ...classifyModelError(error, signal) }
  }
}

describe('a scripted model', () => {
  test('takes the turn that the answers in the prompt point at, in any process', async () => {
    const script = { turns: [{ toolCalls: [{ name: 'get', arguments: { k: 1 } }, { name: 'get' }] }, { text: 'two' }, { text: 'three' }] }
    expect(await ask(scriptedModel(script), [user('go')])).toMatchObject({
      kind: 'responded',
      finish: 'tool-calls',
      parts: [
        { id: 'scripted_0_0', tool: 'get', input: '{"k":1}' },
        { id: 'scripted_0_1', tool: 'get', input: '{}' }
      ]
    })
    const second = [user('go'), called('scripted_0_0', 'scripted_0_1'), result('scripted_0_0', 'a'), result('scripted_0_1', 'b')]
    const model = scriptedModel(script)
    expect(await ask(model, second)).toMatchObject({ parts: [{ text: 'two' }] })
    expect(await ask(model, second)).toMatchObject({ parts: [{ text: 'two' }] })
    expect(await ask(model, [...second, said('two'), user('more')])).toMatchObject({ parts: [{ text: 'three' }] })
  })

  test('does not count calls that the runtime put into the history', async () => {
    const model = scriptedModel({ turns: [{ text: 'first' }] })
    expect(await ask(model, [user('go'), called('injected_1'), result('injected_1', 'x')])).toMatchObject({ parts: [{ text: 'first' }] })
  })

  test('fails for good past its end', async () => {
    const model = scriptedModel({ turns: [{ text: 'only' }] })
    expect(await ask(model, [user('go'), said('only'), user('more')])).toMatchObject({
      why: 'permanent',
      error: { code: 'script_exhausted' }
    })
    expect(await ask(scriptedModel({ turns: [] }), [user('go')])).toMatchObject({ error: { code: 'script_exhausted' } })
  })

  test('streams in several deltas that do not split a surrogate pair', async () => {
    const deltas: ResponseDelta[] = []
    const model = scriptedModel({
      turns: [{ reasoning: 'think first', text: 'a\u{1F600}\u{1F600}\u{1F600}b', toolCalls: [{ name: 'get' }] }]
    })
    const signal = new AbortController().signal
    const { stream } = await model.doStream({ prompt: [user('go')] })
    await readResponse(stream, { signal, maxBytes: 1000, onDelta: (delta) => deltas.push(delta) })
    const texts = deltas.filter((delta) => delta.type === 'text.delta').map((delta) => delta.text)
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.every((text) => text.isWellFormed())).toBe(true)
    expect(texts.join('')).toBe('a\u{1F600}\u{1F600}\u{1F600}b')
    expect(new Set(deltas.map((delta) => delta.type))).toEqual(new Set(['reasoning.delta', 'text.delta', 'arguments.delta']))
  })

  test('gives arguments that are text word for word', async () => {
    const model = scriptedModel({
      turns: [
        {
          toolCalls: [
            { name: 'get', arguments: '{"k":' },
            { name: 'now', arguments: '' }
          ]
        }
      ]
    })
    expect(await ask(model, [user('go')])).toMatchObject({ parts: [{ input: '{"k":' }, { input: '' }] })
  })

  test('reports the usage of the script, and none where the script has none', async () => {
    const counted = scriptedModel({
      turns: [{ text: 'a', usage: { inputTokens: 900, outputTokens: 100, cachedInputTokens: 40, reasoningTokens: 9 } }]
    })
    expect(await ask(counted, [user('go')])).toMatchObject({
      usage: { inputTokens: 900, outputTokens: 100, cachedInputTokens: 40, reasoningTokens: 9 }
    })
    expect(await ask(scriptedModel({ turns: [{ text: 'abcd' }] }), [user('go')])).toMatchObject({
      usage: { outputTokens: 1, estimated: true }
    })
  })

  test('waits as long as the turn says, and not a moment longer than the signal lets it', async () => {
    const model = scriptedModel({ turns: [{ text: 'late', delayMs: 600_000 }] })
    const controller = new AbortController()
    const asking = ask(model, [user('go')], controller.signal)
    setTimeout(() => controller.abort(), 10)
    expect(await asking).toMatchObject({ kind: 'failed', why: 'aborted' })
    expect(await ask(scriptedModel({ turns: [{ text: 'soon', delayMs: 5 }] }), [user('go')])).toMatchObject({ parts: [{ text: 'soon' }] })
  })

  test('gives the same content without streaming', async () => {
    const model = scriptedModel({ turns: [{ reasoning: 'r', text: 't', toolCalls: [{ name: 'get' }] }] })
    const { content, finishReason } = await model.doGenerate({ prompt: [user('go')] })
    expect(content.map((part) => part.type)).toEqual(['reasoning', 'text', 'tool-call'])
    expect(finishReason.unified).toBe('tool-calls')
  })
})

describe('failures of a script', () => {
  test('shows each failure once and then the answer, as often as it is asked for', async () => {
    const model = scriptedModel({
      turns: [{ error: { status: 429, retryAfter: 2 } }, { error: { message: 'no', transient: false } }, { text: 'ok' }]
    })
    expect(await ask(model, [user('go')])).toMatchObject({ why: 'transient', error: { code: 'rate_limited' }, retryAfterMs: 2000 })
    expect(await ask(model, [user('go')])).toMatchObject({ why: 'permanent', error: { code: 'provider_rejected' } })
    expect(await ask(model, [user('go')])).toMatchObject({ parts: [{ text: 'ok' }] })
    expect(await ask(model, [user('go')])).toMatchObject({ parts: [{ text: 'ok' }] })
  })

  test('keeps the failures of one conversation apart from those of another', async () => {
    const model = scriptedModel({ turns: [{ error: {} }, { text: 'ok' }] })
    expect(await ask(model, [user('one')])).toMatchObject({ error: { code: 'provider_overloaded' } })
    expect(await ask(model, [user('two')])).toMatchObject({ error: { code: 'provider_overloaded' } })
    expect(await ask(model, [user('one'), user('again')])).toMatchObject({ parts: [{ text: 'ok' }] })
  })

  // B015
  test('breaks the stream behind partial output', async () => {
    const model = scriptedModel({ turns: [{ text: 'half', error: { status: 529 } }, { text: 'whole' }] })
    expect(await ask(model, [user('go')])).toMatchObject({
      why: 'transient',
      error: { code: 'provider_overloaded' },
      usage: { outputTokens: 1 }
    })
    expect(await ask(model, [user('go')])).toMatchObject({ parts: [{ text: 'whole' }] })
  })

  // B007, B023
  test('goes on behind an empty answer, and is exhausted when no other comes', async () => {
    const model = scriptedModel({ turns: [{ text: '' }, { reasoning: 'only thought' }] })
    expect(await ask(model, [user('go')])).toMatchObject({ kind: 'responded', parts: [] })
    expect(await ask(model, [user('go')])).toMatchObject({ kind: 'responded', parts: [{ type: 'reasoning' }] })
    expect(await ask(model, [user('go')])).toMatchObject({ error: { code: 'script_exhausted' } })
    expect(await ask(model, [user('go')])).toMatchObject({ error: { code: 'script_exhausted' } })
  })

  test('counts turns right behind failures that left no trace', async () => {
    const model = scriptedModel({ turns: [{ error: {} }, { text: 'one' }, { error: {} }, { text: 'two' }] })
    expect(await ask(model, [user('go'), said('one'), user('more')])).toMatchObject({ kind: 'failed' })
    expect(await ask(model, [user('go'), said('one'), user('more')])).toMatchObject({ parts: [{ text: 'two' }] })
  })
})

describe('conditions of a script', () => {
  const script = {
    turns: [
      { when: 'weather', text: 'sunny' },
      { when: 'time', toolCalls: [{ name: 'now' }] },
      { when: '12:00', text: 'noon' },
      { text: 'done' }
    ]
  }

  test('uses a turn only when the last user or tool text contains its condition', async () => {
    const model = scriptedModel(script)
    expect(await ask(model, [user('what time is it?')])).toMatchObject({ parts: [{ tool: 'now', id: 'scripted_1_0' }] })
    const second = [user('what time is it?'), called('scripted_1_0'), result('scripted_1_0', 'it is 12:00')]
    expect(await ask(model, second)).toMatchObject({ parts: [{ text: 'noon' }] })
    expect(await ask(model, [...second, said('noon'), user('the weather?')])).toMatchObject({ parts: [{ text: 'done' }] })
  })
})

describe('a model that a function answers for', () => {
  test('is given the prompt and streams what the function gives', async () => {
    const model = answeringModel((prompt) => (prompt.length === 1 ? { toolCalls: [{ name: 'get' }] } : { text: 'done' }))
    expect(await ask(model, [user('go')])).toMatchObject({ parts: [{ id: 'scripted_0_0', tool: 'get' }] })
    expect(await ask(model, [user('go'), called('scripted_0_0'), result('scripted_0_0', 'x')])).toMatchObject({ parts: [{ text: 'done' }] })
  })
})
