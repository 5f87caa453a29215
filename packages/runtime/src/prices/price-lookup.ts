import type { CalledModel, ModelPrice } from '../contracts/price.ts'
import type { Logger } from '../contracts/tool.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { costOf } from './cost.ts'
import { toModelNames, toProviderName } from './model-names.ts'
import { loadPriceTable } from './price-table.ts'

/** Finds prices. */
export interface PriceLookup {
  /** What a model costs and how much fits into it; null when nobody said. Rejects when the table of this version cannot be read. */
  priceOf(model: CalledModel): Promise<ModelPrice | null>
  /** What a call costs; a promise where the price must be looked for. Never rejects: an answer that was paid for is not lost for want of its price. */
  costOf(model: CalledModel, usage: Usage): Cost | Promise<Cost>
}

/** What a lookup is made of. */
export interface PriceLookupOptions {
  /** Prices by what the definition calls a model, by `provider/model` or by `model` alone; they stand above the table. */
  readonly overrides?: { readonly [model: string]: ModelPrice }
  readonly logger?: Logger
}

/** How many prices that were found are kept. */
const MAX_FOUND = 200

/** Scripts ask nobody. */
const FREE: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }

/**
 * Looks prices up: those that the user gave, then the table, which is loaded when it is first needed.
 *
 * The user's are searched under what the definition calls the model, then under the name that was asked for, then under the one
 * that answered; the table under the last two the other way round, for a provider charges for the model that answered. A name is
 * taken as it is and then without what is known to stand for the same model (`models/`, `@…`, a date). There is no other guess.
 * The scripted model is free. A price of the user's without `window` or `maxOutput` has those of the table; its rates are its own.
 */
export function createPriceLookup({ overrides = {}, logger }: PriceLookupOptions = {}): PriceLookup {
  const found = new Map<string, ModelPrice | null>()
  const find = async ({ reference, provider, model, answered }: CalledModel): Promise<ModelPrice | null> => {
    const names = answered === undefined ? [model] : [model, answered]
    const given = findOverride(overrides, reference, provider, names)
    if (given?.window !== undefined && given.maxOutput !== undefined) return given
    const listed = await findListed(toProviderName(provider), names.toReversed())
    return given ? { ...sizesOf(listed), ...given } : listed
  }
  const search = async (called: CalledModel): Promise<ModelPrice | null> => {
    const price = await find(called)
    // The name that answered comes from outside: whatever servers say, little is kept.
    if (found.size >= MAX_FOUND) found.clear()
    found.set(toKey(called), price)
    return price
  }
  const searchCost = async (called: CalledModel, usage: Usage): Promise<Cost> => {
    try {
      return costOf(usage, await search(called))
    } catch (error) {
      logger?.warn('the table of prices cannot be read', { error: String(error) })
      return 'unknown'
    }
  }
  return {
    async priceOf(called) {
      const known = found.get(toKey(called))
      return known === undefined ? search(called) : known
    },
    costOf(called, usage) {
      const known = found.get(toKey(called))
      return known === undefined ? searchCost(called, usage) : costOf(usage, known)
    }
  }
}

function toKey({ reference = '', provider, model, answered = '' }: CalledModel): string {
  return `${reference}\n${provider}\n${model}\n${answered}`
}

type Prices = { readonly [name: string]: ModelPrice }

function findOverride(overrides: Prices, reference: string | undefined, provider: string, models: readonly string[]): ModelPrice | null {
  const names = models.flatMap(toModelNames).flatMap((name) => [`${provider}/${name}`, `${toProviderName(provider)}/${name}`, name])
  return findFirst(overrides, reference === undefined ? names : [reference, ...names])
}

async function findListed(provider: string, models: readonly string[]): Promise<ModelPrice | null> {
  if (provider === 'scripted') return FREE
  const table = await loadPriceTable()
  const prices = Object.hasOwn(table.models, provider) ? table.models[provider] : undefined
  return prices ? findFirst(prices, models.flatMap(toModelNames)) : null
}

function findFirst(prices: Prices, names: readonly string[]): ModelPrice | null {
  const name = names.find((each) => Object.hasOwn(prices, each))
  return name === undefined ? null : (prices[name] ?? null)
}

function sizesOf(price: ModelPrice | null): Pick<ModelPrice, 'window' | 'maxOutput'> {
  return {
    ...(price?.window !== undefined && { window: price.window }),
    ...(price?.maxOutput !== undefined && { maxOutput: price.maxOutput })
  }
}
