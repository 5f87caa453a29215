import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config, ProviderInfo } from '@holdfast/config'
import type { CommandContext } from './command-context.ts'
import { loadRegistered } from './configuration.ts'
import { toReport } from './failure.ts'
import { loadLook } from './libraries.ts'
import { renderKey } from './render-model.ts'
import { listArtifactFolders } from './store-artifacts.ts'
import { findStore } from './store-location.ts'

/** One thing that was looked at. `missing`: something works only when it is there, and nothing else needs it. */
export interface HealthCheck {
  readonly name: string
  readonly state: 'ok' | 'missing' | 'failed'
  readonly detail: string
  readonly remedy?: string
}

const NODE_WANTED = 24

/** Node and SQLite, as this process has them. */
export function checkPrograms(): readonly HealthCheck[] {
  const { node, sqlite } = process.versions
  const isNew = Number(node.split('.')[0]) >= NODE_WANTED
  const remedy = `Install Node.js ${NODE_WANTED} or newer.`
  return [
    { name: 'node', state: isNew ? 'ok' : 'failed', detail: `${node} (${process.execPath})`, ...(isNew ? {} : { remedy }) },
    { name: 'sqlite', state: 'ok', detail: sqlite ?? 'unknown' }
  ]
}

/** Whether the agents that a configuration registers can be read. */
export async function checkAgents(config: Config): Promise<readonly HealthCheck[]> {
  const name = 'agents'
  try {
    const names = Object.keys(await loadRegistered(config))
    return names.length === 0 ? [] : [{ name, state: 'ok', detail: names.join(', ') }]
  } catch (error) {
    return [toFailed(name, error)]
  }
}

/** Where the store is or would be, of which schema, and whether it can be written. */
export async function checkStore(config: Config, { options, io }: CommandContext): Promise<readonly HealthCheck[]> {
  try {
    const location = findStore({ named: options.store, config, cwd: io.cwd, env: io.env })
    const { path, exists } = location
    const store: HealthCheck = exists ? await checkSchema(path) : { name: 'store', state: 'ok', detail: `${path} (not made yet)` }
    const folders = listArtifactFolders(location).map((folder) => checkWritable(folder, 'artifacts'))
    return [store, checkWritable(path, 'writable'), ...folders]
  } catch (error) {
    return [toFailed('store', error)]
  }
}

/** The keys of the providers that profiles or entries name, and of the others those that are there. */
export function checkKeys(config: Config, providers: readonly ProviderInfo[]): readonly HealthCheck[] {
  const used = new Set(Object.values(config.models).map(({ provider }) => provider))
  return providers.flatMap(({ name, configured, key }) => {
    const isWanted = used.has(name) || configured
    if (key === undefined || !(isWanted || key.isSet)) return []
    return [{ name: `key of ${name}`, state: key.isSet ? 'ok' : 'missing', detail: renderKey(key) }]
  })
}

/** What went wrong while something was looked at. */
export function toFailed(name: string, error: unknown): HealthCheck {
  const { message, remedy } = toReport(error)
  return { name, state: 'failed', detail: message, ...(remedy === undefined ? {} : { remedy }) }
}

async function checkSchema(path: string): Promise<HealthCheck> {
  const { inspectSqliteFile } = await loadLook()
  const { schema } = await inspectSqliteFile(path)
  return { name: 'store', state: 'ok', detail: `${path}, schema ${schema}, ${statSync(path).size} bytes` }
}

/** The file, or the nearest folder in which it would be made. */
function checkWritable(path: string, name: 'writable' | 'artifacts'): HealthCheck {
  let at = path
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  try {
    accessSync(at, constants.W_OK)
    if (name === 'artifacts' && !statSync(at).isDirectory()) throw new Error('no folder')
    return { name, state: 'ok', detail: name === 'writable' || at === path ? at : `${path} (not made yet)` }
  } catch {
    const remedy = name === 'writable' ? 'Name another file with --store.' : 'Name another folder under `artifacts` of the configuration.'
    return { name, state: 'failed', detail: `${at} cannot be written`, remedy }
  }
}
