import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { LanguageModel, ModelSettings } from '@holdfast/runtime'
import { withChangedCalls } from './changed-calls.ts'
import type { ModelProfile } from './config.ts'

/** The same model, which is given options and settings; what a call says itself wins. */
export function withDefaults(model: LanguageModel, { options, settings }: Pick<ModelProfile, 'options' | 'settings'>): LanguageModel {
  if (!options && !settings) return model
  const defaults = toCallOptions(settings ?? {})
  return withChangedCalls(model, (call) => ({
    ...defaults,
    ...withoutUndefined(call),
    providerOptions: merge((options ?? {}) as SharedV4ProviderOptions, call.providerOptions ?? {})
  }))
}

function toCallOptions({ toolChoice, stopSequences, ...settings }: ModelSettings): Omit<LanguageModelV4CallOptions, 'prompt'> {
  return {
    ...settings,
    ...(stopSequences && { stopSequences: [...stopSequences] }),
    ...(toolChoice && { toolChoice: typeof toolChoice === 'string' ? { type: toolChoice } : { type: 'tool', toolName: toolChoice.tool } })
  }
}

function withoutUndefined(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined)) as LanguageModelV4CallOptions
}

function merge(below: SharedV4ProviderOptions, above: SharedV4ProviderOptions): SharedV4ProviderOptions {
  const merged = { ...below }
  for (const [provider, options] of Object.entries(above)) merged[provider] = { ...merged[provider], ...options }
  return merged
}
