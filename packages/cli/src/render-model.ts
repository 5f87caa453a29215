import type { ModelProfile, ProviderInfo } from '@holdfast/config'
import type { ModelPrice } from '@holdfast/runtime'
import { toVisibleLine } from './visible-text.ts'

/** A model as the command line names it. */
export function renderModel({ provider, model }: { readonly provider: string; readonly model: string }): string {
  return `${toVisibleLine(provider)}/${toVisibleLine(model)}`
}

/** Where a key comes from, and whether it is there. */
export function renderKey(key: ProviderInfo['key']): string {
  if (key === undefined) return 'needs no key'
  return `${toVisibleLine(key.env)} is ${key.isSet ? 'set' : 'not set'}`
}

/** What a model costs, for people. */
export function renderPrice(price: ModelPrice | null): string {
  if (price === null) return 'price unknown'
  if (price.input === 0 && price.output === 0) return 'free'
  return `$${price.input} in, $${price.output} out per million tokens${price.above === undefined ? '' : ' (more above a length)'}`
}

/** How much fits into a model and what it does not take, for people. */
export function renderWindow(price: ModelPrice | null, capabilities: ModelProfile['capabilities'] = {}): string {
  const { contextWindow: window = price?.window, tools, images, files } = capabilities
  const refused = Object.entries({ tools, images, files }).flatMap(([what, taken]) => (taken === false ? [`no ${what}`] : []))
  return [...(window === undefined ? [] : [`${window} tokens fit`]), ...refused].join(', ')
}
