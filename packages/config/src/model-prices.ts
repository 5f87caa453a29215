import type { ModelPrice } from '@holdfast/runtime'
import type { Config } from './config.ts'

/** The prices of a configuration's profiles by their names, for the option `prices` of a runtime. */
export function toModelPrices({ models }: Config): { readonly [ref: string]: ModelPrice } {
  return Object.fromEntries(Object.entries(models).flatMap(([ref, { prices }]) => (prices ? [[ref, prices]] : [])))
}
