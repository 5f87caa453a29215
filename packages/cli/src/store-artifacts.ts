// A folder of artifacts is that of one store: who collects judges by the uses of one. So it says whose it is, and the store is told where it is,
// so that bodies are found from wherever the store is opened. Both are told as relative paths: a project can be moved.
import { appendFileSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { ArtifactInfo, ArtifactStore, Page, Store } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'
import type { StoreLocation } from './store-location.ts'

/** In the folder: the path of its store. */
const OWNER = 'store'
/** Beside the memos of threads: the paths of the folders that were ever used, one a line. */
const RECORD = 'artifacts'
const PAGE_LIMIT = 100

/** The folders in which bodies of a store may lie, beside its own tables: the one that the configuration names, and those that were used before. */
export function listArtifactFolders(location: StoreLocation): readonly string[] {
  return [...new Set([...(location.artifacts === undefined ? [] : [location.artifacts.folder]), ...listKnown(location)])]
}

function listKnown({ threads }: StoreLocation): readonly string[] {
  return readLines(join(threads, RECORD)).map((path) => resolve(threads, path))
}

/**
 * Where the bodies of a store are: new ones in the folder of the configuration, when the store is that of the configuration, else in the store.
 * Others are found in all places. Nothing where there is only the store. Throws `invalid_config` when it `writes` and the folder is of another store.
 */
export async function createStoreArtifacts(
  store: Store,
  location: StoreLocation,
  { writes }: { readonly writes: boolean }
): Promise<ArtifactStore | undefined> {
  if (writes && location.artifacts?.isOwn === true) claim(location.artifacts.folder, location)
  const folders = listArtifactFolders(location)
  if (folders.length === 0) return undefined
  const { fileArtifacts } = await loadRuntime()
  const inFolders = new Map(folders.map((folder) => [folder, fileArtifacts(folder)]))
  const all = [...inFolders.values(), store.artifacts]
  const own = new Map([...inFolders].filter(([folder]) => isOwn(folder, location)))
  const target = (location.artifacts?.isOwn === true ? own.get(location.artifacts.folder) : undefined) ?? store.artifacts
  return {
    put: (tenant, bytes) => target.put(tenant, bytes),
    async get(tenant, digest) {
      for (const place of inFolders.values()) if ((await place.info(tenant, digest)) !== null) return place.get(tenant, digest)
      return store.artifacts.get(tenant, digest)
    },
    async info(tenant, digest) {
      const found = await Promise.all(all.map((place) => place.info(tenant, digest)))
      return found.find((info) => info !== null) ?? null
    },
    async list({ limit = PAGE_LIMIT, ...query }) {
      return mergePages(await Promise.all(all.map((place) => place.list({ ...query, limit }))), limit)
    },
    async remove(tenant, digest, options) {
      const removed = await Promise.all([...own.values(), store.artifacts].map((place) => place.remove(tenant, digest, options)))
      return removed.includes(true)
    }
  }
}

/** Says in the folder whose it is, and beside the store where it is. Throws `invalid_config` for a folder of another store. */
function claim(folder: string, location: StoreLocation): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    mkdirSync(location.threads, { recursive: true, mode: 0o700 })
    const owner = `${relative(realpathSync(folder), realOf(location.path))}\n`
    writeFileSync(join(folder, OWNER), owner, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) {
      throw new Failure('store_unavailable', `${folder} cannot be used for artifacts: ${cause instanceof Error ? cause.message : cause}.`, {
        details: { path: folder },
        cause
      })
    }
  }
  if (!isOwn(folder, location)) {
    throw new Failure('invalid_config', `${folder} holds the artifacts of another store; \`${join(folder, OWNER)}\` says of which one.`, {
      details: { path: folder },
      remedy: 'Name another folder under `artifacts`: one that collects would remove what the other store uses.'
    })
  }
  if (listKnown(location).includes(folder)) return
  appendFileSync(join(location.threads, RECORD), `${relative(location.threads, folder)}\n`, { mode: 0o600 })
}

function isOwn(folder: string, location: StoreLocation): boolean {
  const [owner] = readLines(join(folder, OWNER))
  return owner !== undefined && resolve(realpathSync(folder), owner) === realOf(location.path)
}

/** The file itself may not be there yet. */
function realOf(path: string): string {
  return join(realpathSync(dirname(path)), basename(path))
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

/** One page of several: what stands on none of them may be on the next. */
function mergePages(pages: readonly Page<ArtifactInfo>[], limit: number): Page<ArtifactInfo> {
  const found = new Map(pages.flatMap((page) => page.items).map((item) => [item.digest, item] as const))
  const sorted = [...found.values()].sort((a, b) => (a.digest < b.digest ? -1 : 1))
  const items = sorted.slice(0, limit)
  const isLast = items.length === sorted.length && pages.every(({ next }) => next === undefined)
  return isLast ? { items } : { items, next: items.at(-1)?.digest ?? '' }
}
