import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Config, ModelProfile, ProviderInfo } from '@holdfast/config'
import type { ModelPrice } from '@holdfast/runtime'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { listProvidersOf, readPrices, readProject } from '../configuration.ts'
import { EXIT } from '../exit-code.ts'
import { loadRuntime } from '../libraries.ts'
import { name } from '../option-values.ts'
import { renderKey, renderModel, renderPrice, renderWindow } from '../render-model.ts'
import { renderFallbacks, toShownProfile } from '../shown-config.ts'
import { findConfigFile } from '../store-location.ts'
import { toVisibleLine } from '../visible-text.ts'

interface ModelsOptions {
  readonly config?: string
}

interface ModelInfo {
  readonly ref: string
  readonly provider: string
  readonly model: string
  readonly key?: ProviderInfo['key']
  /** Those that are to stand in, in their order. */
  readonly fallbacks?: ModelProfile['fallbacks']
  readonly capabilities?: ModelProfile['capabilities']
  /** Null where nobody said. */
  readonly price: ModelPrice | null
}

/** `holdfast models` */
export function modelsCommand(choose: Choose): Command {
  return new Command('models')
    .description('Lists the model profiles of the configuration and the providers: whether their keys are there, what a model costs.')
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast models
  $ holdfast run agent.yaml --model anthropic/claude-sonnet-4-5

Any model of a provider can be named as provider/model. With --json: { "models", "providers" }; a price is in US
dollars per million tokens, and null where it is not known.`
    )
    .action((options: ModelsOptions) => choose((context) => listModels(context, options)))
}

async function listModels(given: CommandContext, options: ModelsOptions): Promise<number> {
  const { cwd } = given.io
  const { config, context } = await readProject(given, options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config))
  const { output, io } = context
  const providers = await listProvidersOf(config, io)
  const models = await describeModels(config, providers)
  output.document({ models, providers })
  if (models.length === 0) output.progress('There are no model profiles: name a model as provider/model.')
  const rows = models.map(({ ref, price, key, fallbacks, ...model }) => [
    toVisibleLine(ref),
    renderModel(model),
    renderFallbacks(fallbacks),
    renderPrice(price),
    renderWindow(price, model.capabilities),
    renderKey(key)
  ])
  for (const line of toColumns(rows)) output.result(line)
  if (models.length > 0) output.result('')
  for (const line of toColumns(providers.map(({ name: provider, key }) => [`${toVisibleLine(provider)}/...`, renderKey(key)]))) {
    output.result(line)
  }
  return EXIT.completed
}

async function describeModels(config: Config, providers: readonly ProviderInfo[]): Promise<readonly ModelInfo[]> {
  const { createPriceLookup } = await loadRuntime()
  const lookup = createPriceLookup({ overrides: await readPrices(config) })
  return Promise.all(
    Object.entries(config.models).map(async ([ref, profile]) => {
      const { provider, model, fallbacks, capabilities } = toShownProfile(profile)
      const { key, driver = provider } = providers.find((each) => each.name === provider) ?? {}
      // The price is that of the driver's own provider; another server at its address may charge otherwise.
      const called = { reference: ref, provider: driver === 'openai-compatible' ? provider : driver, model }
      const known = {
        ...(key === undefined ? {} : { key }),
        ...(fallbacks === undefined ? {} : { fallbacks }),
        ...(capabilities === undefined ? {} : { capabilities })
      }
      return { ref, provider, model, ...known, price: await lookup.priceOf(called) }
    })
  )
}
