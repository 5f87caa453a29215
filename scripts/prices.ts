// Writes packages/runtime/src/prices/table.json: prices and windows of models, as @earendil-works/pi-ai lists them.
// Run: npm run prices. Read the difference before it is committed.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelPrice, ModelRates } from '../packages/runtime/src/contracts/price.ts'

const PACKAGE = '@earendil-works/pi-ai@1.6'

/** Makers, and hosts that have a driver. Gateways are left out: what they charge depends on where they send a request. */
const PROVIDERS = ['anthropic', 'cerebras', 'cohere', 'deepseek', 'google', 'groq', 'mistral', 'moonshotai', 'openai', 'xai']

/** Anthropic alone keeps a cache for an hour, at twice the price of input. The package has this in its code, not in its data. */
const HOUR_WRITES: { readonly [provider: string]: number } = { anthropic: 2 }

type Rates = { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number }
type Listed = {
  readonly id: string
  readonly type?: string
  readonly cost: Rates & { readonly tiers?: readonly (Rates & { readonly inputTokensAbove: number })[] }
  readonly contextWindow: number
  readonly maxTokens: number
}
type Catalog = { readonly [api: string]: { readonly [key: string]: Listed } }

const root = fileURLToPath(new URL('..', import.meta.url))
const table = join(root, 'packages/runtime/src/prices/table.json')
const folder = mkdtempSync(join(tmpdir(), 'holdfast-prices-'))
try {
  const { date, source, models } = readPackage(folder)
  const counts = Object.entries(models).map(([provider, prices]) => `${provider} ${Object.keys(prices).length}`)
  writeFileSync(table, JSON.stringify({ date, source, models }))
  execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', table], { cwd: root, stdio: 'pipe' })
  console.log(`${source} of ${date}: ${counts.join(', ')}`)
} finally {
  rmSync(folder, { recursive: true })
}

type Prices = { readonly [model: string]: ModelPrice }

/** Packed and not installed: its data needs none of its dependencies, which are many. */
function readPackage(cwd: string): {
  readonly date: string
  readonly source: string
  readonly models: { readonly [provider: string]: Prices }
} {
  const packed = execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', packed], { cwd })
  const { name, version } = readJson<{ name: string; version: string }>(join(cwd, 'package/package.json'))
  const data = join(cwd, 'package/dist/providers/data')
  const { generatedAt, files } = readJson<{ generatedAt: string; files: { [file: string]: string } }>(join(data, '.manifest.json'))
  const found = PROVIDERS.filter((provider) => Object.hasOwn(files, `${provider}.json`))
  return {
    date: generatedAt.slice(0, 10),
    source: `${name} ${version}`,
    models: Object.fromEntries(found.map((provider) => [provider, toPrices(provider, data)]))
  }
}

function toPrices(provider: string, data: string): Prices {
  const listed = Object.values(readJson<Catalog>(join(data, `${provider}.json`))).flatMap((models) => Object.values(models))
  const prices = new Map<string, ModelPrice>()
  for (const { id, type, cost, contextWindow, maxTokens } of listed) {
    // A price of nothing at all says that the price is not known.
    if ((type ?? 'chat') !== 'chat' || !(cost.input > 0) || !(cost.output > 0)) continue
    const above = (cost.tiers ?? []).map(({ inputTokensAbove, ...rates }) => ({
      inputTokens: inputTokensAbove,
      ...toRates(provider, rates)
    }))
    const price: ModelPrice = {
      ...toRates(provider, cost),
      ...(above.length > 0 && { above: above.toSorted((a, b) => a.inputTokens - b.inputTokens) }),
      ...(contextWindow > 0 && { window: contextWindow }),
      ...(maxTokens > 0 && { maxOutput: maxTokens })
    }
    const other = prices.get(id)
    if (other && JSON.stringify(other) !== JSON.stringify(price)) throw new Error(`${provider} lists ${id} twice, with different prices`)
    prices.set(id, price)
  }
  return Object.fromEntries([...prices].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Nothing for the cache means that the package knows no price for it. */
function toRates(provider: string, { input, output, cacheRead, cacheWrite }: Rates): ModelRates {
  const hour = HOUR_WRITES[provider]
  return {
    input,
    output,
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(hour !== undefined && { cacheWriteHour: input * hour })
  }
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T
}
