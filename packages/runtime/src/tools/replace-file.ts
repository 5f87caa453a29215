// Keeps: (1) a file has its old or its new content, never a part, also after a loss of power; (2) other names of the old file (hard links) keep the old
// content; (3) a link is never written through, and nothing but an ordinary file is replaced.
import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { joinPath } from './file-path.ts'
import { refuseFile, toFileRefusal } from './file-refusal.ts'
import type { Folder, Seen } from './folder.ts'
import { showPath } from './shown-path.ts'

/** How a file is replaced. */
export interface ReplaceOptions {
  readonly signal?: AbortSignal | undefined
  /** The file that the new content was made from. When it is not that one any more, nothing is written. */
  readonly basedOn?: BigIntStats
}

/** Whether a name is one that a file has while it is written. A crash can leave one behind. */
export function isTemporary(name: string): boolean {
  return /^\.holdfast-[0-9a-f]{16}\.tmp$/.test(name)
}

/** Gives a file of a folder new content, or makes it: all or nothing. Keeps mode and, where the system permits it, owner. */
export async function replaceFile(
  folder: Folder,
  name: string,
  content: Uint8Array,
  { signal, basedOn }: ReplaceOptions
): Promise<{ readonly isNew: boolean }> {
  const path = joinPath(folder.path, name)
  const temporary = folder.address(`.holdfast-${randomBytes(8).toString('hex')}.tmp`)
  await using old = await folder.look(name)
  if (old !== undefined) await checkWritable(old, path)
  try {
    await folder.verify()
    await writeNew(temporary, content, old?.stats)
    try {
      await checkSame(folder, name, basedOn)
      signal?.throwIfAborted()
      await folder.verify()
      await rename(temporary, folder.address(name))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await folder.sync()
  } catch (error) {
    throw toFileRefusal(error, path)
  }
  return { isNew: old === undefined }
}

/** The new content goes to another file, so the system would not ask whether the old one may be written. */
async function checkWritable({ stats, address }: Seen, path: string): Promise<void> {
  const refusal = refuseFile('read_only', path, `${showPath(path)} is read-only.`)
  if ((stats.mode & 0o222n) === 0n) throw refusal
  await access(address, constants.W_OK).catch(() => {
    throw refusal
  })
}

async function writeNew(address: string, content: Uint8Array, old: BigIntStats | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  await using handle = await open(address, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, old === undefined ? 0o666 : 0o600)
  try {
    await handle.writeFile(content)
    if (old !== undefined) {
      const mine = await handle.stat({ bigint: true })
      // Only a privileged process may, and a file of ours is better than none.
      if (mine.uid !== old.uid || mine.gid !== old.gid) await handle.chown(Number(old.uid), Number(old.gid)).catch(() => {})
      await handle.chmod(Number(old.mode & 0o777n))
    }
    await handle.sync()
  } catch (error) {
    await rm(address, { force: true })
    throw error
  }
}

async function checkSame(folder: Folder, name: string, basedOn: BigIntStats | undefined): Promise<void> {
  if (basedOn === undefined) return
  const now = await folder.stats(name)
  const isSame = (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every((field) => now?.[field] === basedOn[field])
  if (isSame) return
  const path = joinPath(folder.path, name)
  throw refuseFile('changed_since_read', path, `${showPath(path)} was changed while this ran, and was left as it is. Read it again.`)
}
