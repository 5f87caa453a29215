import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, readdir, readFile, rename, stat, unlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Digest, Ms } from '../contracts/ids.ts'
import { hasSystemCode } from './artifact-error.ts'

/** The files of one tenant. What is not there is null or false. */
export interface ArtifactFolder {
  pathOf(digest: Digest): string
  /** Under which name a file is while it is removed. */
  removedPathOf(digest: Digest): string
  read(path: string): Promise<Uint8Array | null>
  stat(path: string): Promise<{ readonly bytes: number; readonly at: Ms } | null>
  /** Sets the age of the file of that name. */
  renew(path: string, at: Ms): Promise<boolean>
  /** Writes a file and syncs it, and then gives it its name. */
  write(digest: Digest, bytes: Uint8Array, at: Ms): Promise<void>
  /** Syncs the name of a file that another process may just have given. */
  sync(digest: Digest): Promise<void>
  rename(from: string, to: string): Promise<boolean>
  unlink(path: string): Promise<boolean>
  /** In their order, behind one; those that are being removed, too. */
  digests(after: Digest): AsyncIterable<Digest>
}

const PREFIX = 'sha256:'
const REMOVED = '.removed'
const DRAFTS = 'drafts'
/** What a process left behind that was killed while it wrote. */
const OLD_DRAFT_MS = 86_400_000
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** The folder of one tenant, whose name is made of hexadecimal digits. Makes nothing before something is written. */
export function createArtifactFolder(root: string, name: string): ArtifactFolder {
  const folder = join(root, name)
  const drafts = join(folder, DRAFTS)
  const pathOf = (digest: Digest): string => {
    const hex = digest.slice(PREFIX.length)
    return join(folder, hex.slice(0, 2), hex)
  }
  const ready = new Map<string, Promise<void>>()
  /** Once for each folder and process: another one may have made it and not synced its name yet. */
  const prepare = async (path: string): Promise<void> => {
    const known = ready.get(path) ?? makeFolder(path, root)
    ready.set(path, known)
    try {
      await known
    } catch (error) {
      ready.delete(path)
      throw error
    }
  }
  return {
    pathOf,
    removedPathOf: (digest) => `${pathOf(digest)}${REMOVED}`,
    read: (path) => unlessMissing(() => readFile(path)),
    stat: (path) =>
      unlessMissing(async () => {
        const { size, mtimeMs } = await stat(path)
        return { bytes: size, at: Math.round(mtimeMs) }
      }),
    renew: (path, at) => isDone(() => utimes(path, at / 1000, at / 1000)),
    async write(digest, bytes, at) {
      const path = pathOf(digest)
      if (!ready.has(drafts)) await clearDrafts(drafts, at - OLD_DRAFT_MS)
      await prepare(drafts)
      await prepare(dirname(path))
      const draft = join(drafts, `${digest.slice(PREFIX.length)}.${randomUUID()}`)
      try {
        await writeDraft(draft, bytes, at)
        await rename(draft, path)
      } catch (error) {
        // Somebody may have removed the folders.
        ready.clear()
        await isDone(() => unlink(draft)).catch(() => false)
        throw error
      }
      await syncFolder(dirname(path))
    },
    async sync(digest) {
      await prepare(dirname(pathOf(digest)))
      await syncFolder(dirname(pathOf(digest)))
    },
    rename: (from, to) => isDone(() => rename(from, to)),
    unlink: (path) => isDone(() => unlink(path)),
    digests: (after) => listDigests(folder, after)
  }
}

async function* listDigests(folder: string, after: Digest): AsyncGenerator<Digest> {
  const from = after.slice(PREFIX.length)
  const shards = await namesIn(folder)
  for (const shard of shards.filter((each) => /^[0-9a-f]{2}$/.test(each) && each >= from.slice(0, 2))) {
    const names = await namesIn(join(folder, shard))
    const digests = new Set(names.map((each) => each.replace(REMOVED, '')).filter((each) => /^[0-9a-f]{64}$/.test(each) && each > from))
    for (const digest of digests) yield `${PREFIX}${digest}`
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return ((await unlessMissing(() => readdir(folder))) ?? []).sort()
}

async function writeDraft(path: string, bytes: Uint8Array, at: Ms): Promise<void> {
  await using file: FileHandle = await open(path, 'wx', FILE_MODE)
  await file.writeFile(bytes)
  await file.utimes(at / 1000, at / 1000)
  await file.sync()
}

async function clearDrafts(drafts: string, until: Ms): Promise<void> {
  for (const name of await namesIn(drafts)) {
    const path = join(drafts, name)
    const found = await unlessMissing(() => stat(path))
    if (found !== null && found.ctimeMs < until) await isDone(() => unlink(path))
  }
}

/** Makes a folder, and syncs its name and those of the folders above it, up to the root's. */
async function makeFolder(path: string, root: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  const top = dirname(made !== undefined && root.startsWith(made) ? made : root)
  for (let folder = dirname(path); folder !== top; folder = dirname(folder)) await syncFolder(folder)
  // It need not be ours to read.
  await syncFolder(top).catch((error: unknown) => {
    if (!hasSystemCode(error, 'EACCES')) throw error
  })
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return null
    throw error
  }
}

async function isDone(change: () => Promise<void>): Promise<boolean> {
  return (
    (await unlessMissing(async () => {
      await change()
      return true
    })) === true
  )
}
