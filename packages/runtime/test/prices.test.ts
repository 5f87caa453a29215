import { describe, expect, test } from 'vitest'
import type { CalledModel, ModelPrice } from '../src/contracts/price.ts'
import type { Usage } from '../src/contracts/usage.ts'
import { addCost } from '../src/contracts/usage.ts'
import { toUsage } from '../src/effects/model-usage.ts'
import { costOf } from '../src/prices/cost.ts'
import { createPriceLookup } from '../src/prices/price-lookup.ts'
import { loadPriceTable } from '../src/prices/price-table.ts'

const PRICE: ModelPrice = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
const SONNET: ModelPrice = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  cacheWriteHour: 6,
  window: 200_000,
  maxOutput: 64_000
}

const used = (over: Partial<Usage> = {}): Usage => ({ inputTokens: 1_000_000, outputTokens: 100_000, ...over })
const find = (provider: string, model: string, answered?: string): Promise<ModelPrice | null> =>
  createPriceLookup().priceOf({ provider, model, ...(answered !== undefined && { answered }) })

describe('what a call costs', () => {
  test.each<[string, Partial<Usage>, number]>([
    ['input and output', {}, 3],
    ['input read from a cache once, at its own rate', { cachedInputTokens: 900_000 }, 1.38],
    ['input written to a cache once, at its own rate', { cacheWriteTokens: 400_000 }, 3.2],
    ['input of all three kinds', { cachedInputTokens: 500_000, cacheWriteTokens: 500_000 }, 2.35],
    ['reasoning as the output that it is part of', { reasoningTokens: 80_000 }, 3],
    ['an estimate like a count', { estimated: true }, 3],
    ['no input twice where a provider counts more from the cache than in all', { cachedInputTokens: 2_000_000 }, 1.4],
    ['nothing for nothing', { inputTokens: 0, outputTokens: 0 }, 0]
  ])('counts %s', (_, over, cost) => {
    expect(costOf(used(over), PRICE)).toBe(cost)
  })

  test('takes the rate of an hour for what is cached for an hour', () => {
    expect(costOf(used({ outputTokens: 0, cacheWriteTokens: 1_000_000, cacheWriteHourTokens: 400_000 }), SONNET)).toBe(4.65)
  })

  test('takes the rates of the highest bound that the whole input passes', () => {
    const tiers: ModelPrice = {
      ...PRICE,
      above: [
        { inputTokens: 900_000, input: 8, output: 40, cacheRead: 1 },
        { inputTokens: 500_000, input: 4, output: 20 }
      ]
    }
    expect(costOf(used({ inputTokens: 500_000 }), tiers)).toBe(2)
    expect(costOf(used({ inputTokens: 500_001 }), tiers)).toBe(4.000004)
    expect(costOf(used({ cachedInputTokens: 500_000 }), tiers)).toBe(8.5)
  })

  test.each<[string, Usage, ModelPrice | null]>([
    ['no price', used(), null],
    ['no rate for reading the cache', used({ cachedInputTokens: 1 }), { input: 2, output: 10 }],
    ['no rate for writing the cache', used({ cacheWriteTokens: 1 }), { input: 2, output: 10, cacheRead: 1 }],
    ['no rate for an hour in the cache', used({ cacheWriteTokens: 1, cacheWriteHourTokens: 1 }), PRICE],
    [
      'no rate for the cache above a bound',
      used({ cachedInputTokens: 1 }),
      { ...PRICE, above: [{ inputTokens: 10, input: 4, output: 20 }] }
    ],
    ['a rate that is no amount', used(), { ...PRICE, input: Number.NaN }],
    ['a rate below zero', used(), { ...PRICE, output: -1 }]
  ])('is unknown with %s', (_, usage, price) => {
    expect(costOf(usage, price)).toBe('unknown')
  })

  test('is known without a rate that it does not need', () => {
    expect(costOf(used(), { input: 2, output: 10 })).toBe(3)
  })

  test('adds up to the same in any order', () => {
    const costs = Array.from({ length: 1_000 }, (_, index) => costOf(used({ inputTokens: 7 * index, outputTokens: 3 * index }), PRICE))
    const sum = costs.reduce(addCost, 0)
    expect(costs.toReversed().reduce(addCost, 0)).toBe(sum)
    expect(sum).toBe(21.978)
    expect([...costs, 'unknown' as const].reduce(addCost, 0)).toBe('unknown')
  })
})

describe('the price of a model', () => {
  test('stands in the table with its window', async () => {
    expect(await find('anthropic', 'claude-sonnet-4-5')).toEqual(SONNET)
  })

  test.each([
    ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic', 'claude-sonnet-4-5'],
    ['openai.responses', 'gpt-5', 'openai', 'gpt-5'],
    ['openai.chat', 'gpt-5', 'openai', 'gpt-5'],
    ['google.generative-ai', 'gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
    ['google.generative-ai', 'models/gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
    ['groq.chat', 'openai/gpt-oss-120b', 'groq', 'openai/gpt-oss-120b'],
    ['xai.responses', 'grok-4.5', 'xai', 'grok-4.5'],
    ['openai', 'gpt-5-2025-08-07', 'openai', 'gpt-5'],
    ['anthropic', 'claude-sonnet-4-6-20260301', 'anthropic', 'claude-sonnet-4-6'],
    ['anthropic', 'claude-sonnet-4-5@20250929', 'anthropic', 'claude-sonnet-4-5']
  ])('of %s, %s, is that of %s, %s', async (provider, model, listed, as) => {
    const { models } = await loadPriceTable()
    const price = await find(provider, model)
    expect(price).not.toBeNull()
    expect(price).toEqual(models[listed]?.[as])
  })

  test('of a snapshot that has its own is not that of the model', async () => {
    expect(await find('openai', 'gpt-4o-2024-05-13')).toMatchObject({ input: 5, output: 15 })
    expect(await find('openai', 'gpt-4o')).toMatchObject({ input: 2.5, output: 10 })
  })

  test.each([
    ['openai', 'gpt-5-unheard-of'],
    ['openai', 'gpt'],
    ['openai', 'GPT-5'],
    ['openai', 'gpt-5-2025'],
    ['openai', 'ft:gpt-4o-2024-08-06:org::id'],
    ['openai', 'constructor'],
    ['openai', 'openai/gpt-5'],
    ['openrouter.chat', 'openai/gpt-5'],
    ['google.vertex.chat', 'gemini-2.5-pro'],
    ['my.openai', 'gpt-5'],
    ['toString', 'gpt-5']
  ])('is never guessed: %s, %s', async (provider, model) => {
    expect(await find(provider, model)).toBeNull()
  })

  test('is that of the model that answered, when it has one', async () => {
    expect(await find('anthropic', 'claude-fable-5', 'claude-opus-4-8')).toMatchObject({ input: 5, output: 25 })
    expect(await find('openai', 'gpt-5', 'gpt-5-2025-08-07')).toMatchObject({ input: 1.25 })
    expect(await find('openai', 'gpt-5', 'something-else')).toMatchObject({ input: 1.25 })
  })

  test('of a scripted model is nothing', async () => {
    expect(costOf(used({ cachedInputTokens: 5, cacheWriteTokens: 5 }), await find('scripted', 'demo'))).toBe(0)
  })
})

describe("a user's price", () => {
  const own: ModelPrice = { input: 1, output: 1 }
  const called: CalledModel = { provider: 'openai.chat', model: 'gpt-5', answered: 'gpt-5-2025-08-07' }

  test.each([['openai.chat/gpt-5'], ['openai/gpt-5'], ['gpt-5'], ['gpt-5-2025-08-07'], ['openai/gpt-5-2025-08-07']])(
    'stands above the table: %s',
    async (key) => {
      const { priceOf } = createPriceLookup({ overrides: { [key]: own } })
      expect(await priceOf(called)).toEqual({ ...own, window: 400_000, maxOutput: 128_000 })
    }
  )

  test('under the provider stands above one for every provider', async () => {
    const { priceOf } = createPriceLookup({ overrides: { 'gpt-5': own, 'openai/gpt-5': { input: 2, output: 2, window: 1, maxOutput: 1 } } })
    expect(await priceOf(called)).toEqual({ input: 2, output: 2, window: 1, maxOutput: 1 })
  })

  test('under what the definition calls the model stands above all others', async () => {
    const { priceOf } = createPriceLookup({ overrides: { main: own, 'openai/gpt-5': { input: 2, output: 2 } } })
    expect(await priceOf({ ...called, reference: 'main' })).toMatchObject(own)
    expect(await priceOf({ ...called, reference: 'other' })).toMatchObject({ input: 2, output: 2 })
    expect(await priceOf(called)).toMatchObject({ input: 2, output: 2 })
  })

  test('prices what the table does not know', async () => {
    const { priceOf } = createPriceLookup({ overrides: { 'house/llama': own } })
    expect(await priceOf({ provider: 'house.chat', model: 'llama' })).toEqual(own)
    expect(await priceOf({ provider: 'other.chat', model: 'llama' })).toBeNull()
  })

  test('has only its own rates', async () => {
    const { costOf: cost } = createPriceLookup({ overrides: { 'gpt-5': own } })
    expect(await cost(called, used())).toBe(1.1)
    expect(await cost(called, used({ cachedInputTokens: 1 }))).toBe('unknown')
  })

  test('can be set for a scripted model', async () => {
    const { costOf: cost } = createPriceLookup({ overrides: { demo: own } })
    expect(await cost({ provider: 'scripted', model: 'demo' }, used())).toBe(1.1)
  })
})

describe('the table', () => {
  test('holds amounts and sizes, sorted, with its date', async () => {
    const table = await loadPriceTable()
    expect(table.date).toMatch(/^20\d\d-\d\d-\d\d$/)
    for (const models of Object.values(table.models)) {
      expect(Object.keys(models)).toEqual(Object.keys(models).toSorted())
      for (const { above = [], ...price } of Object.values(models)) {
        const numbers = [...Object.values(price), ...above.flatMap((tier) => Object.values(tier))]
        expect(numbers.every((value) => Number.isFinite(value) && value > 0)).toBe(true)
        expect(price.window).toBeGreaterThan(1_000)
      }
    }
    expect(Object.keys(table.models)).toEqual(expect.arrayContaining(['anthropic', 'google', 'groq', 'openai', 'xai']))
  })
})

describe('usage', () => {
  test('tells what Anthropic keeps for an hour from what it keeps for minutes', () => {
    const reported = {
      inputTokens: { total: 130, noCache: 10, cacheRead: 20, cacheWrite: 100 },
      outputTokens: { total: 5, text: undefined, reasoning: undefined },
      raw: { cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 } }
    }
    expect(toUsage(reported)).toEqual({
      inputTokens: 130,
      outputTokens: 5,
      cachedInputTokens: 20,
      cacheWriteTokens: 100,
      cacheWriteHourTokens: 60
    })
    expect(toUsage({ ...reported, raw: { cache_creation: null } })).not.toHaveProperty('cacheWriteHourTokens')
  })
})
