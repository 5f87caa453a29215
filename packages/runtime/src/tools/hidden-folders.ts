import type { BigIntStats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isWithin } from './file-path.ts'

/** What no tool may see or touch, whatever the roots contain. */
export interface HiddenFolders {
  /** Whether a canonical path is hidden, by its names. */
  covers(path: string): boolean
  /** Whether this is a hidden folder itself, by its identity: moved, mounted elsewhere, or spelled in other letters. */
  is(stats: Pick<BigIntStats, 'dev' | 'ino'>): boolean
  /** Looks for folders that were made since. To be called before every use of a root. */
  refresh(): Promise<void>
}

/**
 * Hides folders with all that is beneath them. A path that is a file hides the file and what a database keeps beside it (`store.db-wal`). What does not
 * exist yet is hidden as soon as it does.
 */
export async function createHiddenFolders(paths: readonly string[]): Promise<HiddenFolders> {
  const canonical = await Promise.all(paths.map((path) => resolveMissing(resolve(path))))
  const folders = new Set<string>()
  const identities = new Set<string>()
  const hidden: HiddenFolders = {
    covers: (path) => canonical.some((each) => isWithin(path, each) || (!folders.has(each) && path.startsWith(`${each}-`))),
    is: (stats) => identities.has(identityOf(stats)),
    refresh: async () => {
      for (const path of canonical) {
        const stats = await stat(path, { bigint: true }).catch(() => undefined)
        if (stats === undefined) continue
        identities.add(identityOf(stats))
        if (stats.isDirectory()) folders.add(path)
      }
    }
  }
  await hidden.refresh()
  return hidden
}

function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`
}

/** The canonical path of what may not exist yet: that of the nearest folder that does, and the rest. */
export async function resolveMissing(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await resolveMissing(parent), basename(path))
  }
}
