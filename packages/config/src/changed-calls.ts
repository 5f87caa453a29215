import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel } from '@holdfast/runtime'

/** The same model, which is asked what `change` makes of each call; a call for which it throws is not made. */
export function withChangedCalls(
  model: LanguageModel,
  change: (call: LanguageModelV4CallOptions) => LanguageModelV4CallOptions
): LanguageModel {
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls
    },
    doStream: async (call) => model.doStream(change(call)),
    doGenerate: async (call) => model.doGenerate(change(call))
  }
}
