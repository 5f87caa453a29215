import type { ModelPrice } from '@holdfast/runtime'
import type { Config, ModelCapabilities } from './config.ts'

/** The prices of a configuration's profiles by their names, for the option `prices` of a runtime, with how much fits into the model. */
export function toModelPrices({ models }: Config): { readonly [ref: string]: ModelPrice } {
  return Object.fromEntries(
    Object.entries(models).flatMap(([ref, { prices, capabilities }]) => (prices ? [[ref, { ...prices, ...toSizes(capabilities) }]] : []))
  )
}

function toSizes({ contextWindow, maxOutputTokens }: ModelCapabilities = {}): Pick<ModelPrice, 'window' | 'maxOutput'> {
  return {
    ...(contextWindow === undefined ? {} : { window: contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutput: maxOutputTokens })
  }
}
