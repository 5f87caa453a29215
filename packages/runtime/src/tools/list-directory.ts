import { isHoldfastError } from '../contracts/errors.ts'
import { cutText } from '../util/well-formed.ts'
import { MAX_PATH_BYTES } from './file-path.ts'
import type { OpenRoots } from './file-roots.ts'
import type { FileKind, Folder } from './folder.ts'
import { kindOf } from './folder.ts'
import type { FolderEntry } from './folder-entries.ts'
import { readEntries } from './folder-entries.ts'
import type { InputTool } from './tool-input.ts'
import { toObjectInput } from './tool-input.ts'

interface ListDirectoryInput {
  readonly path?: string
  readonly depth?: number
  readonly limit?: number
}

/** One line of a listing. */
export interface ListedEntry {
  /** From the listed folder on. */
  readonly name: string
  readonly kind: FileKind
  /** Bytes of a file. */
  readonly size?: number
  /** Where a link points to. */
  readonly target?: string
  /** Why the entry cannot be used, or what is beneath it is not shown. */
  readonly note?: string
}

const DEFAULT_ENTRIES = 500
const MAX_ENTRIES = 2_000
const MAX_DEPTH = 8
/** What all names together may have, so that a result is never cut in the middle. */
const MAX_LENGTH = 60_000
/** How many entries are looked at to say how many more there are. */
const MAX_SEEN = 100_000

/** The tool that lists a folder. */
export function createListDirectory(openRoots: OpenRoots): InputTool<ListDirectoryInput> {
  return {
    name: 'list_directory',
    description:
      'Lists what a folder holds, in the order of the names: files with their size, folders, and links with what they point to. `more` says how many entries are not shown.',
    input: toObjectInput<ListDirectoryInput>([], {
      path: { type: 'string', minLength: 1, maxLength: MAX_PATH_BYTES, description: 'The folder. Default: the first folder.' },
      depth: { type: 'integer', minimum: 1, maximum: MAX_DEPTH, description: 'How many levels of folders. Default 1.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_ENTRIES, description: `How many entries at most. Default ${DEFAULT_ENTRIES}.` }
    }),
    effect: 'read',
    parallelSafe: true,
    async execute({ path = '.', depth = 1, limit = DEFAULT_ENTRIES }, { signal, grants }) {
      const roots = await openRoots()
      const place = roots.locate(path, 'read', grants.files)
      const listing = new Listing(limit, signal)
      await roots.inFolder(place, (folder) => listing.add(folder, '', depth))
      return { path: place.shown, entries: listing.entries, more: listing.more, ...(listing.isWhole ? {} : { moreIsAtLeast: true }) }
    }
  }
}

class Listing {
  readonly entries: ListedEntry[] = []
  /** How many were met and not taken. */
  more = 0
  /** Whether everything was met. */
  isWhole = true
  readonly #limit: number
  readonly #signal: AbortSignal
  #length = 0
  #seen = 0

  constructor(limit: number, signal: AbortSignal) {
    this.#limit = limit
    this.#signal = signal
  }

  async add(folder: Folder, prefix: string, depth: number): Promise<void> {
    const { entries, isWhole } = await readEntries(folder)
    if (!isWhole) this.isWhole = false
    for (const entry of entries) {
      this.#signal.throwIfAborted()
      if (this.#seen >= MAX_SEEN) {
        this.isWhole = false
        return
      }
      this.#seen += 1
      await this.#addEntry(folder, entry, prefix, depth)
    }
  }

  async #addEntry(folder: Folder, entry: FolderEntry, prefix: string, depth: number): Promise<void> {
    const listed = this.#isFull ? 'more' : await describe(folder, entry, prefix)
    if (listed === 'gone') return
    const index = this.#take(listed)
    if (entry.kind !== 'folder' || !entry.isNamable || depth <= 1) return
    try {
      await using beneath = await folder.folder(entry.name)
      await this.add(beneath, `${prefix}${entry.name}/`, depth - 1)
    } catch (error) {
      this.#signal.throwIfAborted()
      this.isWhole = false
      const reason = isHoldfastError(error) ? String(error.details['reason']) : 'failed'
      if (listed !== 'more' && index !== undefined) this.entries[index] = { ...listed, note: `cannot be listed: ${reason}` }
    }
  }

  get #isFull(): boolean {
    return this.more > 0 || this.entries.length >= this.#limit
  }

  #take(listed: ListedEntry | 'more'): number | undefined {
    const length = listed === 'more' ? 0 : JSON.stringify(listed).length
    if (listed === 'more' || this.#length + length > MAX_LENGTH) {
      this.more += 1
      return undefined
    }
    this.#length += length
    return this.entries.push(listed) - 1
  }
}

async function describe(folder: Folder, { name, kind, isNamable }: FolderEntry, prefix: string): Promise<ListedEntry | 'gone'> {
  const shown = prefix + name
  if (!isNamable) return { name: shown, kind, note: 'the name is no UTF-8 and cannot be given' }
  const stats = await folder.stats(name)
  if (stats === undefined || folder.hides(name, stats)) return 'gone'
  const found = kindOf(stats)
  if (found === 'file') return { name: shown, kind: found, size: Number(stats.size) }
  if (found !== 'link') return { name: shown, kind: found }
  const target = await folder.linkTarget(name)
  return { name: shown, kind: found, ...(target === undefined ? {} : { target: cutText(target, 500) }) }
}
