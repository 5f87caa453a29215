import type { Config, ProviderInfo } from '@holdfast/config'
import type { ModelResolver, RunResult } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { createModels, readPrices } from './configuration.ts'
import type { HealthCheck } from './health-check.ts'
import { toFailed } from './health-check.ts'
import { loadRuntime } from './libraries.ts'
import { renderModel } from './render-model.ts'
import { renderCost } from './render-usage.ts'

const PATIENCE_MS = 20_000
/** Fewer is refused by some. */
const MAX_OUTPUT_TOKENS = 16

/** The provider has answered, whatever it was. */
const ANSWERED: ReadonlySet<string> = new Set(['empty_model_response', 'output_truncated', 'content_filtered'])

/** Asks each provider that a profile names for a word, once: the first profile of each. Costs what it costs; nothing is kept. */
export async function reachProviders(
  config: Config,
  providers: readonly ProviderInfo[],
  context: CommandContext
): Promise<readonly HealthCheck[]> {
  const models = await createModels(config, { base: context.io.cwd, io: context.io, secrets: context.secrets })
  const checks: HealthCheck[] = []
  for (const { name, driver, key } of providers) {
    const [ref, profile] = Object.entries(config.models).find(([, { provider }]) => provider === name) ?? []
    if (ref === undefined || profile === undefined || driver === 'scripted') continue
    const label = `wire of ${name}`
    if (key?.isSet === false) checks.push({ name: label, state: 'missing', detail: `not asked: ${key.env} is not set` })
    else checks.push(await reach(label, ref, { models, config, context, model: renderModel(profile) }))
  }
  if (checks.length > 0) return checks
  return [{ name: 'wires', state: 'missing', detail: 'no profile of the configuration names a model to ask' }]
}

interface Reaching {
  readonly models: ModelResolver
  readonly config: Config
  readonly context: CommandContext
  readonly model: string
}

async function reach(name: string, ref: string, { models, config, context, model }: Reaching): Promise<HealthCheck> {
  try {
    const { createRuntime, memoryStore } = await loadRuntime()
    await using store = memoryStore()
    await using runtime = createRuntime({ store, models, prices: await readPrices(config), secrets: await context.secrets.registry() })
    const run = await runtime.start({
      name: 'doctor',
      model: { ref, settings: { maxOutputTokens: MAX_OUTPUT_TOKENS } },
      prompt: 'Answer with one word: ok',
      limits: { maxRetries: 0, providerTimeoutMs: PATIENCE_MS }
    })
    return describe(name, model, await run.settled({ signal: context.interruption.signal }))
  } catch (error) {
    if (context.interruption.isCause(error)) throw error
    return toFailed(name, error)
  }
}

function describe(name: string, model: string, { status, error, cost }: RunResult): HealthCheck {
  const answered = status === 'completed' || ANSWERED.has(error?.code ?? '')
  if (answered) return { name, state: 'ok', detail: `${model} answers (${renderCost(cost)})` }
  return { name, state: 'failed', detail: `${model}: ${error?.message ?? `the run is ${status}`}` }
}
