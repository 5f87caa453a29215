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
  const { file, store, tools, providers, models, agents, engine, grants, permissions, onWait } = shown
  const head = [
    ['file', toVisibleLine(file ?? 'none: only the providers that need no entry', 1000)],
    ['store', toVisibleLine(store.path ?? `from ${store.env}, which is not set`, 1000) + (store.exists ? '' : ' (not made yet)')],
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
