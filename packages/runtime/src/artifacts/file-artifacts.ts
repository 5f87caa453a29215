// What is put is under its name only when it is whole and synced. A removal first takes the name away and then looks at the age once more: a put
// at the same time has either renewed the age before that, and the name is given back, or it finds no file and writes its own.
import { resolve } from 'node:path'
import type { ArtifactInfo, ArtifactStore } from '../contracts/artifact.ts'
import { corruptArtifact, missingArtifact } from '../contracts/artifact-fault.ts'
import type { Clock } from '../contracts/clock.ts'
import type { Digest, Ms } from '../contracts/ids.ts'
import type { OptionNames } from '../contracts/known-options.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import type { Page } from '../contracts/query.ts'
import { digestBytes, digestText } from '../util/canonical.ts'
import { toArtifactError } from './artifact-error.ts'
import type { ArtifactFolder } from './artifact-folder.ts'
import { createArtifactFolder } from './artifact-folder.ts'

const PAGE_LIMIT = 100
const MAX_PAGE_LIMIT = 1000
/** A removal is over in an instant: who finds neither name looks as often again. */
const LOOKS = 3
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** How artifacts are kept in files. */
export interface FileArtifactsOptions {
  readonly clock?: Pick<Clock, 'now'>
}

const NAMES: OptionNames<FileArtifactsOptions> = { clock: true }

/**
 * Artifacts as files in a folder, readable by their owner alone: `<folder>/<digest of the tenant>/<first two digits>/<digest>`. The folder is made
 * when something is first put. Several processes of one machine may use it at once. A backup of a store needs the folder, too.
 */
export function fileArtifacts(path: string, options: FileArtifactsOptions = {}): ArtifactStore {
  assertKnownOptions('fileArtifacts', options, NAMES)
  const folder = resolve(path)
  const clock = options.clock ?? { now: () => Date.now() }
  const folders = new Map<string, ArtifactFolder>()
  const of = (tenant: string): ArtifactFolder => {
    const known = folders.get(tenant) ?? createArtifactFolder(folder, digestText(JSON.stringify(tenant)).slice(7))
    folders.set(tenant, known)
    return known
  }
  return {
    async put(tenant, bytes) {
      const digest = digestBytes(bytes)
      await toArtifactError(folder, () => put(of(tenant), digest, bytes, clock.now()))
      return digest
    },
    get: (tenant, digest) => toArtifactError(folder, () => get(of(tenant), digest)),
    info: (tenant, digest) => toArtifactError(folder, () => readInfo(of(tenant), digest)),
    list: ({ tenant, olderThanMs, after = '', limit = PAGE_LIMIT }) =>
      toArtifactError(folder, () => {
        const count = Math.max(1, Math.min(Math.floor(limit), MAX_PAGE_LIMIT))
        return listPage(of(tenant), { after, count, until: olderThanMs === undefined ? Infinity : clock.now() - olderThanMs })
      }),
    remove: (tenant, digest, { olderThanMs }) => toArtifactError(folder, () => remove(of(tenant), digest, clock.now() - olderThanMs))
  }
}

async function put(folder: ArtifactFolder, digest: Digest, bytes: Uint8Array, now: Ms): Promise<void> {
  const kept = await folder.read(folder.pathOf(digest))
  // By its name: what a removal has taken away meanwhile does not count.
  const isKept = kept !== null && Buffer.compare(kept, bytes) === 0 && (await folder.renew(folder.pathOf(digest), now))
  if (isKept) await folder.sync(digest)
  else await folder.write(digest, bytes, now)
}

async function get(folder: ArtifactFolder, digest: Digest): Promise<Uint8Array> {
  if (!DIGEST.test(digest)) throw missingArtifact(digest)
  for (let look = 1; look <= LOOKS; look++) {
    for (const path of [folder.pathOf(digest), folder.removedPathOf(digest)]) {
      const bytes = await folder.read(path)
      if (bytes === null) continue
      if (digestBytes(bytes) !== digest) throw corruptArtifact(digest)
      return bytes
    }
  }
  throw missingArtifact(digest)
}

async function readInfo(folder: ArtifactFolder, digest: Digest): Promise<ArtifactInfo | null> {
  if (!DIGEST.test(digest)) return null
  const found = (await folder.stat(folder.pathOf(digest))) ?? (await folder.stat(folder.removedPathOf(digest)))
  return found === null ? null : { digest, ...found }
}

async function listPage(
  folder: ArtifactFolder,
  { after, count, until }: { readonly after: string; readonly count: number; readonly until: Ms }
): Promise<Page<ArtifactInfo>> {
  const items: ArtifactInfo[] = []
  for await (const digest of folder.digests(after)) {
    const info = await readInfo(folder, digest)
    if (info === null || info.at > until) continue
    if (items.length === count) return { items, next: items.at(-1)?.digest ?? '' }
    items.push(info)
  }
  return { items }
}

/** Also takes up a removal that another process did not finish. */
async function remove(folder: ArtifactFolder, digest: Digest, until: Ms): Promise<boolean> {
  const info = await readInfo(folder, digest)
  if (info === null || info.at > until) return false
  const path = folder.pathOf(digest)
  const removed = folder.removedPathOf(digest)
  await folder.rename(path, removed)
  const found = await folder.stat(removed)
  if (found === null) return false
  if (found.at <= until) return folder.unlink(removed)
  await folder.rename(removed, path)
  return false
}
