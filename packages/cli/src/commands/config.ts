import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import type { Config, ModelProfile, ProviderInfo } from '@holdfast/config'
import type { Json } from '@holdfast/runtime'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { listProvidersOf, readConfiguration } from '../configuration.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { name } from '../option-values.ts'
import { renderKey, renderModel } from '../render-model.ts'
import { findConfigFile, findStore } from '../store-location.ts'
import { toJsonText, toVisibleLine } from '../visible-text.ts'

interface ConfigOptions {
  readonly config?: string
}

/** `holdfast config` */
export function configCommand(choose: Choose): Command {
  const show = new Command('show')
    .description('Shows the configuration as it is understood here: files, providers, models. No secret, only where each comes from.')
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast config show
  $ holdfast config show --json

With --json: { "file", "store", "tools", "providers", "models" }.`
    )
    .action((options: ConfigOptions) => choose((context) => showConfiguration(context, options)))
  return new Command('config')
    .description('Looks at the runtime configuration.')
    .addHelpText('after', '\nExamples:\n  $ holdfast config show')
    .addCommand(show)
}

async function showConfiguration(context: CommandContext, options: ConfigOptions): Promise<number> {
  const { output, io } = context
  const file = options.config === undefined ? findConfigFile(io.cwd) : resolve(io.cwd, options.config)
  const config = await readConfiguration(file)
  const store = describeStore(context, config)
  const tools = config.tools.map((path) => (file === undefined ? path : resolve(dirname(file), path)))
  const providers = await listProvidersOf(config, io)
  const models = Object.entries(config.models).map(([ref, profile]) => ({ ref, ...toShownProfile(profile) }))
  output.document({ file: file ?? null, store, tools, providers, models })
  for (const line of toColumns([
    ['file', toVisibleLine(file ?? 'none: only the providers that need no entry', 1000)],
    ['store', toVisibleLine(store.path ?? `from ${store.env}, which is not set`, 1000) + (store.exists ? '' : ' (not made yet)')],
    ...tools.map((path) => ['tools', toVisibleLine(path, 1000)])
  ])) {
    output.result(line)
  }
  for (const line of section('providers', toColumns(providers.map(toProviderRow)))) output.result(line)
  for (const line of section('models', toColumns(models.map(toModelRow)))) output.result(line)
  return EXIT.completed
}

interface ShownStore {
  readonly path?: string
  readonly env?: string
  readonly exists: boolean
}

function describeStore({ options, io }: CommandContext, config: Config): ShownStore {
  const env = typeof config.store === 'object' && options.store === undefined ? { env: config.store.env } : {}
  try {
    const { path, exists } = findStore({ named: options.store, config, cwd: io.cwd, env: io.env })
    return { ...env, path, exists }
  } catch (error) {
    // It is shown that the variable is missing; nothing here needs it.
    if (error instanceof Failure && error.code === 'secret_missing') return { ...env, exists: false }
    throw error
  }
}

/** Options are data of the provider's; whatever in them may be a secret is not shown. */
function toShownProfile(profile: ModelProfile): ModelProfile {
  return profile.options === undefined ? profile : { ...profile, options: hideSecrets(profile.options) }
}

const SECRET_NAME = /key|token|secret|password|credential|authorization|cookie/i

function hideSecrets<T extends Json>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (typeof inner === 'string' && SECRET_NAME.test(name) ? '[hidden]' : inner))
  ) as T
}

function toProviderRow({ name: provider, driver, configured, baseURL, key }: ProviderInfo): readonly string[] {
  return [
    toVisibleLine(provider),
    provider === driver ? '' : driver,
    baseURL === undefined ? '' : toVisibleLine(baseURL),
    renderKey(key),
    configured ? '' : '(needs no entry)'
  ]
}

function toModelRow({ ref, ...profile }: ModelProfile & { readonly ref: string }): readonly string[] {
  const { settings, options } = profile
  return [
    toVisibleLine(ref),
    renderModel(profile),
    settings === undefined ? '' : `settings ${toVisibleLine(toJsonText(settings))}`,
    options === undefined ? '' : `options ${toVisibleLine(toJsonText(options))}`
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]
}
