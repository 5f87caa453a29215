import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config, ProviderInfo, RegisteredAgent } from '@holdfast/config'
import type { LanguageModel, ModelReference, ModelResolver, RuntimeOptions } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import type { CommandIo } from './command-io.ts'
import type { CommandSecrets } from './command-secrets.ts'
import { withEnvFile } from './env-file.ts'
import { Failure } from './failure.ts'
import { loadConfiguration, loadRuntime } from './libraries.ts'
import type { ModuleCode } from './tools-module.ts'
import type { LoadedModule } from './module-names.ts'
import { requireOwnNames } from './module-names.ts'
import { loadCode, NO_CODE } from './tools-module.ts'
import { toVisibleLine } from './visible-text.ts'

/** More than any configuration may have. */
const MAX_BYTES = 33_554_432

const NONE: Config = { providers: {}, models: {}, tools: [] }

/** Reads a configuration; without a file it is the empty one. Throws `file_not_found`, `file_unreadable` and `invalid_config`. */
export async function readConfiguration(path: string | undefined): Promise<Config> {
  if (path === undefined) return NONE
  const { loadConfig } = await loadConfiguration()
  return loadConfig(path)
}

/**
 * Reads a configuration to know what it says about the store: fields with one of these words. Where none stands in it, it says nothing, however
 * broken it is: whoever only looks is shown what there is without its being read and checked.
 */
export async function readStoreProject(context: CommandContext, path: string | undefined, words: readonly string[]): Promise<Project> {
  return readProject(context, path !== undefined && (await mayName(words, path)) ? path : undefined)
}

/** A backslash may spell a word with an escape. What is no file is left to whoever says so. */
async function mayName(words: readonly string[], path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isFile() !== true || stats.size > MAX_BYTES) return true
  const text = await readFile(path, 'latin1').catch(() => '\\')
  return ['\\', ...words].some((word) => text.includes(word))
}

/** A configuration, and the context with what the `.env` beside it says. */
export interface Project {
  readonly config: Config
  readonly context: CommandContext
}

/** Reads a configuration with the environment that belongs to it. Throws as `readConfiguration`. */
export async function readProject(context: CommandContext, path: string | undefined): Promise<Project> {
  const config = await readConfiguration(path)
  return { config, context: { ...context, io: { ...context.io, env: withEnvFile(context.io.env, path) } } }
}

/** What models are found with. Scripts of definitions lie beside these (`base`), those of profiles beside the configuration. */
export interface ModelSearch {
  readonly base: string
  readonly io: CommandIo
  readonly secrets: CommandSecrets
}

/** Finds models by a configuration. */
export async function createModels(config: Config, options: ModelSearch): Promise<ModelResolver> {
  const { createModelResolver } = await loadConfiguration()
  const shared = { env: options.io.env, secrets: await options.secrets.registry() }
  const ofDefinitions = createModelResolver(config, { ...shared, baseDir: options.base })
  const ofProfiles = createModelResolver(config, { ...shared, baseDir: config.file === undefined ? options.base : dirname(config.file) })
  const find = (reference: ModelReference): LanguageModel | Promise<LanguageModel> =>
    'ref' in reference ? ofProfiles(reference) : ofDefinitions(reference)
  return Object.assign(find, { fallbacksOf: (reference: ModelReference) => ofProfiles.fallbacksOf?.(reference) ?? [] })
}

/** What the profiles of a configuration cost. */
export async function readPrices(config: Config): Promise<NonNullable<RuntimeOptions['prices']>> {
  const { toModelPrices } = await loadConfiguration()
  return toModelPrices(config)
}

/** The agents that a configuration registers, read and checked. */
export async function loadRegistered(config: Config): Promise<{ readonly [name: string]: RegisteredAgent }> {
  if (Object.keys(config.agents ?? {}).length === 0) return {}
  const { loadAgents } = await loadConfiguration()
  return loadAgents(config)
}

/** The providers of a configuration and those that need no entry. */
export async function listProvidersOf(config: Config, { env }: CommandIo): Promise<readonly ProviderInfo[]> {
  const { listProviders } = await loadConfiguration()
  return listProviders(config, { env })
}

/** After this it is told that a module has not been loaded by now. */
const SLOW_MS = 5_000

/** What the modules give that a configuration and an option name. `tell` is told of one that takes long. */
export async function loadAllCode(config: Config, named: string | undefined, tell: (line: string) => void): Promise<ModuleCode> {
  const folder = config.file === undefined ? '' : dirname(config.file)
  const own = config.tools.map((path) => resolve(folder, path))
  let code = NO_CODE
  const known: LoadedModule[] = []
  for (const path of new Set([...own, ...(named === undefined ? [] : [named])])) {
    const index = own.indexOf(path)
    const late = setTimeout(() => tell(`still loading ${toVisibleLine(path, 1_000)}: what it awaits has not come`), SLOW_MS)
    const loaded = await loadCode(path)
      .finally(() => clearTimeout(late))
      .catch(async (error: unknown) => {
        throw index < 0 ? error : await toNamedFailure(error, config, index)
      })
    await requireOwnNames({ path, code: loaded }, known)
    known.push({ path, code: loaded })
    code = joinCode(code, loaded)
  }
  return code
}

/** A module that is not there is told where the configuration names it; one that cannot be loaded has its own place. */
async function toNamedFailure(error: unknown, config: Config, index: number): Promise<unknown> {
  if (!(error instanceof Failure) || (error.code !== 'file_not_found' && error.code !== 'file_unreadable')) return error
  const { findPlace } = await loadRuntime()
  const place = findPlace(config, ['tools', index])
  if (place === undefined) return error
  return new Failure(error.code, `${place.file}:${place.line}:${place.column}: tools[${index}]: ${error.message}`, {
    details: { ...error.details, place: { ...place, path: `tools[${index}]` } },
    remedy: 'Correct the path; it is relative to the configuration.',
    cause: error
  })
}

function joinCode(one: ModuleCode, other: ModuleCode): ModuleCode {
  return {
    tools: [...one.tools, ...other.tools],
    hooks: [...one.hooks, ...other.hooks],
    registeredHooks: [...one.registeredHooks, ...other.registeredHooks],
    plugins: [...one.plugins, ...other.plugins]
  }
}
