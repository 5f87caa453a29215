import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { LanguageModel, Part } from '@holdfast/runtime'
import { classifyModelError } from '../../runtime/src/effects/model-failure.ts'
import type { ResponseDelta } from '../../runtime/src/effects/read-parts.ts'
import type { ModelResponse } from '../../runtime/src/effects/read-response.ts'
import { readResponse } from '../../runtime/src/effects/read-response.ts'
import type { ProviderConfig } from '../src/index.ts'
import { createModelResolver, NO_CONFIG } from '../src/index.ts'

/** A key that no answer may show. */
export const SECRET = 'sk-test-very-secret-0123456789'

/** The model `m` of a provider. */
export async function modelOf(provider: ProviderConfig, name = 'p'): Promise<LanguageModel> {
  const secret = { apiKey: { env: 'KEY' } }
  const config = { ...NO_CONFIG, providers: { [name]: provider.driver === 'scripted' ? provider : { ...secret, ...provider } } }
  return await createModelResolver(config, { env: { KEY: SECRET }, baseDir: '.' })({ provider: name, model: 'm' })
}

/** How a model is asked in a test. */
export interface AskOptions {
  readonly signal?: AbortSignal
  readonly maxBytes?: number
  readonly onDelta?: (delta: ResponseDelta) => void
  readonly call?: Partial<LanguageModelV4CallOptions>
}

/** One model call, read to its end as the runtime does it. */
export async function askModel(
  model: LanguageModel,
  prompt: LanguageModelV4Prompt = [user('hi')],
  options: AskOptions = {}
): Promise<ModelResponse> {
  const { signal = new AbortController().signal, maxBytes = 100_000_000, onDelta = () => {}, call = {} } = options
  try {
    const { stream } = await model.doStream({ prompt, abortSignal: signal, tools: TOOLS, ...call })
    return await readResponse(stream, { signal, maxBytes, onDelta })
  } catch (error) {
    return { kind: 'failed', ...classifyModelError(error, signal) }
  }
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

/** A message of a person. */
export function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** An answer and the results of its calls, as they go back to the provider. */
export function replay(parts: readonly Part[], results: readonly string[]): LanguageModelV4Message[] {
  const calls = parts.filter((part) => part.type === 'tool-call')
  const content = parts.flatMap((part): AssistantPart[] => {
    const options = 'metadata' in part && part.metadata ? { providerOptions: part.metadata as never } : {}
    if (part.type === 'text' || part.type === 'reasoning') return [{ type: part.type, text: part.text, ...options }]
    if (part.type !== 'tool-call') return []
    const input: unknown = part.input.trim() === '' ? {} : JSON.parse(part.input)
    return [{ type: part.type, toolCallId: part.id, toolName: part.tool, input, ...options }]
  })
  return [
    { role: 'assistant', content },
    {
      role: 'tool',
      content: calls.map(({ id, tool }, index) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: tool,
        output: { type: 'text', value: results[index] ?? '' }
      }))
    }
  ]
}

const TOOLS: NonNullable<LanguageModelV4CallOptions['tools']> = ['get', 'put', 'now', 'write'].map((name) => ({
  type: 'function',
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object', properties: { k: { type: 'number' } } }
}))
