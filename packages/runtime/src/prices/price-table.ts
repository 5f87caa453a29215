// The table is loaded when the first price is asked for. AGENTS.md lists this file.
import type { ModelPrice } from '../contracts/price.ts'

/** Prices by provider and model, as `npm run prices` wrote them. */
export interface PriceTable {
  /** The day that the prices are of. */
  readonly date: string
  readonly source: string
  readonly models: { readonly [provider: string]: { readonly [model: string]: ModelPrice } }
}

/** The table that comes with this version. */
export async function loadPriceTable(): Promise<PriceTable> {
  const { default: table } = await import('./table.json', { with: { type: 'json' } })
  return table
}
