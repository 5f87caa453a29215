import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelReference } from './publication.ts'

/** A language model: the AI SDK's provider interface, so that every AI SDK provider works as it is. */
export type LanguageModel = LanguageModelV4

/** Finds the model that a publication names. **Contract**: throws `model_unknown` or `secret_missing`; loads a provider only when asked for it. */
export type ModelResolver = (reference: ModelReference) => LanguageModel | Promise<LanguageModel>
