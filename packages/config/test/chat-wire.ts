import type { ModelResponse } from '../../runtime/src/effects/read-response.ts'
import type { ProviderConfig } from '../src/index.ts'
import { askModel, modelOf } from './ask-model.ts'
import type { FakeAnswer } from './fake-provider.ts'
import { DONE, events, startFakeProvider } from './fake-provider.ts'

/** A chunk of text. */
export const said = (content: unknown): unknown => ({ choices: [{ delta: { content } }] })
/** The chunk that says why it ended. */
export const finish = (reason: string): unknown => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
/** A stream that ends properly. */
export const stream = (...chunks: readonly unknown[]): string[] => [...events(...chunks), DONE]

/** The drivers that speak Chat Completions. */
export const DRIVERS: readonly ((url: string) => ProviderConfig)[] = [
  (baseURL) => ({ driver: 'openai', api: 'chat', baseURL }),
  (baseURL) => ({ driver: 'openai-compatible', baseURL })
]

/** What a provider's model says when its server answers with the bytes. */
export async function ask(
  chunks: readonly (string | Uint8Array)[],
  toProvider: (url: string) => ProviderConfig,
  more: Partial<FakeAnswer> = {}
): Promise<ModelResponse> {
  await using server = await startFakeProvider({ chunks, ...more })
  return await askModel(await modelOf(toProvider(server.url)))
}
