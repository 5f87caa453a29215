import type { ProviderConfig } from '../../src/index.ts'
import type { FakeAnswer, FakeProvider, ReceivedRequest } from '../fake-provider.ts'
import { startFakeProvider } from '../fake-provider.ts'
import type { StrictAnswer } from './strict-answers.ts'
import { SPEAKERS } from './strict-answers.ts'
import type { Wire } from './strict-rule.ts'
import { brokenRules } from './strict-rules.ts'

/** A provider that refuses what the real one would, and that a function answers for otherwise. */
export interface StrictProvider extends FakeProvider {
  /** What it refused, and by which rule. */
  readonly refused: readonly { readonly rule: string; readonly request: ReceivedRequest }[]
}

/** Starts one. `answer` is given how often the model has answered in the conversation so far. */
export async function startStrictProvider(wire: Wire, answer: (answers: number) => StrictAnswer): Promise<StrictProvider> {
  const refused: { readonly rule: string; readonly request: ReceivedRequest }[] = []
  const speaker = SPEAKERS[wire]
  const respond = (request: ReceivedRequest): FakeAnswer => {
    const [rule] = brokenRules(wire, request.body)
    if (rule !== undefined) {
      refused.push({ rule, request })
      const headers = { 'content-type': 'application/json' }
      return { status: 400, headers, chunks: [JSON.stringify(speaker.refuse(rule))] }
    }
    const answers = speaker.answersIn(request.body)
    return { chunks: speaker.say(answer(answers), answers + 1) }
  }
  const provider = await startFakeProvider(respond)
  return { ...provider, refused, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() }
}

/** How a configuration reaches it. */
export function toStrictConfig(wire: Wire, url: string): ProviderConfig {
  const apiKey = { env: 'KEY' }
  switch (wire) {
    case 'openai-chat':
      return { driver: 'openai', api: 'chat', baseURL: `${url}/v1`, apiKey }
    case 'openai-responses':
      return { driver: 'openai', baseURL: `${url}/v1`, apiKey }
    case 'anthropic':
      return { driver: 'anthropic', baseURL: `${url}/v1`, apiKey }
    case 'google':
      return { driver: 'google', baseURL: `${url}/v1beta`, apiKey }
  }
}

/** The models of each provider that its rules are about. */
export const STRICT_MODELS: { readonly [wire in Wire]: string } = {
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-5',
  anthropic: 'claude-opus-4-8',
  google: 'gemini-3-pro-preview'
}
