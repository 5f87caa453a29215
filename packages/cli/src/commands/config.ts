import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import type { Config, ProviderInfo } from '@holdfast/config'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { listProvidersOf, loadRegistered, readProject } from '../configuration.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { name } from '../option-values.ts'
import { renderKey } from '../render-model.ts'
import { toGrantRows, toRuleRows } from '../shown-authority.ts'
import { renderNotice, toProfileRow, toShownNotice, toShownProfile } from '../shown-config.ts'
import type { StoreLocation } from '../store-location.ts'
import { findConfigFile, findStore } from '../store-location.ts'
import { toVisibleLine } from '../visible-text.ts'

interface ConfigOptions {
  readonly config?: string
}

/** `holdfast config` */
export function configCommand(choose: Choose): Command {
  const show = new Command('show')
    .description(
      'Shows the configuration as it is understood here: files, providers, models, agents. No secret, only where each comes from.'
    )
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast config show
  $ holdfast config show --json

With --json: { "file", "store", "tools", "providers", "models", "agents", "engine", "grants",
"permissions", "onWait" }.`
    )
    .action((options: ConfigOptions) => choose((context) => showConfiguration(context, options)))
  return new Command('config')
    .description('Looks at the runtime configuration.')
    .addHelpText('after', '\nExamples:\n  $ holdfast config show')
    .addCommand(show)
}

async function showConfiguration(given: CommandContext, options: ConfigOptions): Promise<number> {
  const { cwd } = given.io
  const file = options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config)
  const { config, context } = await readProject(given, file)
  const shown = await describe(context, config, file)
  context.output.document(shown)
  for (const line of render(shown)) context.output.result(line)
  return EXIT.completed
}

/** All that is shown, as the document has it. */
async function describe(context: CommandContext, config: Config, file: string | undefined) {
  const { io } = context
  const { onWait, engine = {}, grants, permissions } = config
  return {
    file: file ?? null,
    store: describeStore(context, config),
    artifacts: describeArtifacts(context, config),
    tools: config.tools.map((path) => (file === undefined ? path : resolve(dirname(file), path))),
    providers: await listProvidersOf(config, io),
    models: Object.entries(config.models).map(([ref, profile]) => ({ ref, ...toShownProfile(profile) })),
    agents: await listAgents(config),
    engine,
    grants,
    permissions,
    onWait: onWait && toShownNotice(onWait, io.env)
  }
}

function render(shown: Awaited<ReturnType<typeof describe>>): readonly string[] {
  const { file, store, artifacts, tools, providers, models, agents, engine, grants, permissions, onWait } = shown
  const head = [
    ['file', toVisibleLine(file ?? 'none: only the providers that need no entry', 1000)],
    ['store', toVisibleLine(store.path ?? `from ${store.env}, which is not set`, 1000) + (store.exists ? '' : ' (not made yet)')],
    ...(artifacts === undefined ? [] : [['artifacts', toVisibleLine(artifacts.path ?? `from ${artifacts.env}, which is not set`, 1000)]]),
    ...tools.map((path) => ['tools', toVisibleLine(path, 1000)]),
    ...Object.entries(engine).map(([option, value]) => ['engine', `${option} ${value}`]),
    ...(onWait === undefined ? [] : [['on wait', renderNotice(onWait)]])
  ]
  return [
    ...toColumns(head),
    ...section('providers', providers.map(toProviderRow)),
    ...section(
      'models',
      models.map(({ ref, ...profile }) => toProfileRow(ref, profile))
    ),
    ...section(
      'agents',
      agents.map(({ name: registered, path, agent }) => [toVisibleLine(registered), toVisibleLine(path, 1000), toVisibleLine(agent)])
    ),
    ...section('grants', toGrantRows(grants)),
    ...section('permissions', toRuleRows(permissions))
  ]
}

async function listAgents(config: Config): Promise<readonly { readonly name: string; readonly path: string; readonly agent: string }[]> {
  const agents = Object.entries(await loadRegistered(config))
  return agents.map(([name, { path, manifest }]) => ({ name, path, agent: manifest.definition.name }))
}

interface ShownPlace {
  readonly path?: string
  readonly env?: string
}

function describeStore({ options, io }: CommandContext, config: Config): ShownPlace & { readonly exists: boolean } {
  const env = typeof config.store === 'object' && options.store === undefined ? { env: config.store.env } : {}
  const { artifacts: _, ...own } = config
  const found = unlessUnset(() => findStore({ named: options.store, config: own, cwd: io.cwd, env: io.env }))
  return found === undefined ? { ...env, exists: false } : { ...env, path: found.path, exists: found.exists }
}

function describeArtifacts({ io }: CommandContext, config: Config): ShownPlace | undefined {
  if (config.artifacts === undefined) return undefined
  const env = typeof config.artifacts === 'object' ? { env: config.artifacts.env } : {}
  const { store: _, ...own } = config
  const found = unlessUnset(() => findStore({ named: undefined, config: own, cwd: io.cwd, env: io.env }))
  return { ...env, ...(found?.artifacts === undefined ? {} : { path: found.artifacts.folder }) }
}

/** It is shown that a variable is missing; nothing here needs it. */
function unlessUnset(find: () => StoreLocation): StoreLocation | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof Failure && error.code === 'secret_missing') return undefined
    throw error
  }
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

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...toColumns(rows).map((line) => `  ${line}`)]
}
