import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelCandidate, ModelReference } from './publication.ts'

/** A language model: the AI SDK's provider interface, so that every AI SDK provider works as it is. */
export type LanguageModel = LanguageModelV4

/** Finds the model that a publication names. **Contract**: throws `model_unknown` or `secret_missing`; loads a provider only when asked for it. */
export interface ModelResolver {
  (reference: ModelReference): LanguageModel | Promise<LanguageModel>
  /**
   * The models that stand in for one: the reference's own list, else that of the profile which it names. A publication keeps them.
   * **Contract**: throws `model_unknown` when one of them is not known; loads nothing and needs no key. It is also asked before a
   * thread is taken up, of which it must know one model. Without this method the reference's own list holds, and nobody looks whether there are such
   * models.
   */
  fallbacksOf?(reference: ModelReference): readonly ModelCandidate[]
}
