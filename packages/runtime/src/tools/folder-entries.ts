import { Buffer } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { toFileRefusal } from './file-refusal.ts'
import type { FileKind, Folder } from './folder.ts'
import { isTemporary } from './replace-file.ts'

/** How many names of one folder are read. */
const MAX_NAMES = 100_000

/** A name in a folder. */
export interface FolderEntry {
  readonly name: string
  readonly kind: FileKind
  /** Whether the name can be given back: not when its bytes are no UTF-8, which are then shown as `\xNN`. */
  readonly isNamable: boolean
}

/** What stands in a folder, in the order of the names, without what is hidden and without files that are just being written. */
export async function readEntries(folder: Folder): Promise<{ readonly entries: readonly FolderEntry[]; readonly isWhole: boolean }> {
  const entries: FolderEntry[] = []
  let read = 0
  try {
    // One character for each byte: names need not be UTF-8.
    for await (const entry of await opendir(folder.address(), { encoding: 'latin1', bufferSize: 256 })) {
      read += 1
      if (read > MAX_NAMES) break
      const found = toEntry(entry)
      if (!folder.hides(found.name) && !isTemporary(found.name)) entries.push(found)
    }
    await folder.verify()
  } catch (error) {
    throw toFileRefusal(error, folder.path)
  }
  entries.sort((left, right) => (left.name < right.name ? -1 : 1))
  return { entries, isWhole: read <= MAX_NAMES }
}

function toEntry(entry: Dirent): FolderEntry {
  const bytes = Buffer.from(entry.name, 'latin1')
  const name = bytes.toString('utf8')
  const isNamable = Buffer.from(name, 'utf8').equals(bytes)
  return { name: isNamable ? name : showBytes(bytes), kind: kindOf(entry), isNamable }
}

function kindOf(entry: Dirent): FileKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'special'
}

function showBytes(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`))
    .join('')
}
