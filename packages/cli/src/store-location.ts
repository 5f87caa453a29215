import type { Stats } from 'node:fs'
import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '@holdfast/config'
import { Failure } from './failure.ts'

/** The folder that belongs to the command. */
const FOLDER = '.holdfast'
const FILE = 'holdfast.db'

/** As `@holdfast/config` looks for them; it is not loaded only to find that there is none. */
const CONFIG_FILES = ['holdfast.config.yaml', 'holdfast.config.yml', 'holdfast.config.json'] as const

/** Where the store's file is, and where what the command remembers of its threads lies. All absolute. */
export interface StoreLocation {
  readonly path: string
  readonly threads: string
  readonly exists: boolean
  /** The folder that the configuration names for large bodies, and whether this store is the configuration's. Absolute. */
  readonly artifacts?: { readonly folder: string; readonly isOwn: boolean }
}

/** What decides where the store is: the option, then the configuration, then the nearest project upwards, then the current folder. */
export interface StoreSearch {
  readonly named: string | undefined
  readonly config: Config
  readonly cwd: string
  readonly env: { readonly [name: string]: string | undefined }
}

/** Finds the store. Makes nothing. Throws `invalid_config` and `secret_missing` when the configuration names none that can be used. */
export function findStore(search: StoreSearch): StoreLocation {
  const { named, cwd } = search
  const path = named === undefined ? findConfigured(search) : resolve(cwd, named)
  return { ...locate(path), ...findArtifacts(path, search) }
}

/** Where the store is that no option names. */
function findConfigured({ config, cwd, env }: StoreSearch): string {
  if (config.store !== undefined && config.file !== undefined)
    return resolve(dirname(config.file), toPath('store', config.store, { env, file: config.file }))
  const found = refuseOfOthers(lookUpwards(cwd, [FOLDER, ...CONFIG_FILES]), cwd)
  return join(found === undefined ? cwd : dirname(found), FOLDER, FILE)
}

function findArtifacts(path: string, search: StoreSearch): Pick<StoreLocation, 'artifacts'> {
  const { config, env } = search
  if (config.artifacts === undefined || config.file === undefined) return {}
  const folder = resolve(dirname(config.file), toPath('artifacts', config.artifacts, { env, file: config.file }))
  return { artifacts: { folder, isOwn: search.named === undefined || isConfigured(path, search) } }
}

function isConfigured(path: string, search: StoreSearch): boolean {
  try {
    return path === findConfigured(search)
  } catch {
    return false
  }
}

/** The same, for commands that need what is there. Throws `store_unavailable` when nothing is. */
export function findExistingStore(search: StoreSearch): StoreLocation {
  const location = findStore(search)
  if (location.exists) return location
  throw new Failure('store_unavailable', `There is no store at ${location.path}.`, {
    details: { path: location.path },
    remedy:
      search.named === undefined
        ? 'Start in the folder of the project, name the file with --store, or make one with `holdfast run`.'
        : 'Check the path after --store; `holdfast run` makes a new store there.'
  })
}

/**
 * The configuration that belongs to a folder: of the nearest folder upwards that has one. Throws `file_unreadable` when it stands above the folder and
 * belongs to somebody else.
 */
export function findConfigFile(cwd: string): string | undefined {
  return refuseOfOthers(lookForConfigFile(cwd), cwd)
}

/** The same, whoever it belongs to: to speak of it, not to use it. */
export function lookForConfigFile(folder: string): string | undefined {
  return lookUpwards(folder, CONFIG_FILES)
}

/** Makes the folder of a store, for this user alone. Whoever adds the project to version control does not add its threads. */
export function prepareFolder(location: StoreLocation): void {
  const folder = dirname(location.path)
  const ignore = join(folder, '.gitignore')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (basename(folder) === FOLDER && !existsSync(ignore)) writeFileSync(ignore, '*\n', { mode: 0o600 })
  } catch (cause) {
    throw new Failure('store_unavailable', `${folder} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      details: { path: folder },
      remedy: 'Name a file in a folder that you may write to with --store.',
      cause
    })
  }
}

function locate(path: string): StoreLocation {
  const folder = dirname(path)
  const threads = basename(folder) === FOLDER ? join(folder, 'threads') : `${path}-threads`
  return { path, threads, exists: existsSync(path) }
}

function toPath(
  what: 'store' | 'artifacts',
  given: NonNullable<Config['store']>,
  { env, file }: { readonly env: StoreSearch['env']; readonly file: string }
): string {
  const named = typeof given === 'string' ? given : env[given.env]
  const [subject, wanted] = what === 'store' ? (['store', 'a file'] as const) : (['folder of artifacts', 'a folder'] as const)
  const option = what === 'store' ? ', in the configuration or with --store' : ''
  if (named === undefined || named === '') {
    const variable = typeof given === 'string' ? '' : given.env
    throw new Failure('secret_missing', `${file}: ${what}: the ${subject} is taken from ${variable}, which is not set.`, {
      details: { variable, path: file },
      remedy: `Put a line \`${variable}=…\` into the file .env beside it, or have the environment set it${what === 'store' ? '; or name the store with --store' : ''}.`
    })
  }
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(named)) return named
  throw new Failure('invalid_config', `${file}: ${what}: the ${subject} is a URL, and this version keeps everything in files.`, {
    details: { path: file },
    remedy: `Name ${wanted}${option}.`
  })
}

/** The first of some names that stands in a folder, or in the nearest above it. */
function lookUpwards(folder: string, names: readonly string[]): string | undefined {
  for (const each of upwards(folder)) {
    const path = names.map((name) => join(each, name)).find(isThere)
    if (path !== undefined) return path
  }
  return undefined
}

/** A file of the name of our folder is not ours. */
function isThere(path: string): boolean {
  const stats = lookAt(path, statSync)
  return stats !== undefined && (basename(path) !== FOLDER || stats.isDirectory())
}

/**
 * In a folder that everybody may write to, as that of temporary files, anybody may leave a configuration, which names modules and programs that are run.
 * What stands in the current folder is what its user means; above it only what belongs to that user or to the system.
 */
function refuseOfOthers(path: string | undefined, cwd: string): string | undefined {
  if (path === undefined || dirname(path) === cwd || process.geteuid === undefined) return path
  const { uid } = lookAt(path, lstatSync) ?? {}
  // It is gone since.
  if (uid === undefined) return undefined
  if (uid === 0 || uid === process.geteuid()) return path
  throw new Failure('file_unreadable', `${path} stands above the current folder and is of another user (uid ${uid}): it is not used.`, {
    details: { path, uid },
    remedy: 'If it is meant, start in its folder. If not, name a configuration of your own with --config and a store with --store.'
  })
}

/** What stands at a path. What its user may not even look for is not there. Throws `file_unreadable`. */
function lookAt(path: string, stat: typeof statSync | typeof lstatSync): Stats | undefined {
  try {
    return stat(path, { throwIfNoEntry: false })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'EACCES' || code === 'EPERM') return undefined
    throw new Failure('file_unreadable', `${path} cannot be looked at: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      details: { path },
      remedy: 'Mend it or remove it.',
      cause
    })
  }
}

function upwards(cwd: string): readonly string[] {
  const folders = [cwd]
  for (let folder = dirname(cwd); folder !== folders.at(-1); folder = dirname(folder)) folders.push(folder)
  return folders
}
