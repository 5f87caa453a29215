import type { Buffer } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { isHoldfastError } from '../contracts/errors.ts'
import { cutText } from '../util/well-formed.ts'
import { readBytes } from './file-content.ts'
import type { FilePlace, FileRoots } from './file-roots.ts'
import { isBinary } from './file-type.ts'
import type { Folder } from './folder.ts'
import { readEntries } from './folder-entries.ts'
import { MAX_PATH_DEPTH } from './file-path.ts'
import { readByteOrderMark } from './text-encoding.ts'

/** What is searched for, and how far. */
export interface FileSearchOptions {
  /** Whether a line is one that is searched for. */
  matches(line: string): boolean
  /** Whether a file is searched, by its path from the searched folder on. */
  fits(path: string): boolean
  /** How many lines are found at most. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** What was found. */
export interface FileSearchResult {
  readonly files: readonly { readonly path: string; readonly lines: readonly FoundLine[] }[]
  /** How many files were searched. */
  readonly searched: number
  readonly skipped: { readonly [why in SkipReason]?: number }
  /** Whether everything was seen. */
  readonly isWhole: boolean
}

/** A line that was found, from 1 on; of a long one, the part around the beginning. */
export interface FoundLine {
  readonly line: number
  readonly text: string
}

interface FoundFile {
  readonly path: string
  readonly lines: FoundLine[]
}

type SkipReason = 'binary' | 'too_large' | 'unreadable' | 'left_out'

/** Folders that hold what others made. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules'])
const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_FILES = 50_000
/** How much of a line is searched, and how much of it is shown. */
const MAX_LINE_LENGTH = 65_536
const MAX_SHOWN_LENGTH = 300
/** What all results may have, so that they are never cut in the middle. */
const MAX_RESULT_LENGTH = 60_000
const PAUSE_MS = 15

/** One search through files, one after another in the order of their names. */
export class FileSearch {
  readonly #options: FileSearchOptions
  readonly #files: FoundFile[] = []
  readonly #skipped: { [why in SkipReason]?: number } = {}
  #searched = 0
  #seen = 0
  #found = 0
  #length = 0
  #isWhole = true
  #isFull = false
  #resumedAt = performance.now()

  constructor(options: FileSearchOptions) {
    this.#options = options
  }

  get result(): FileSearchResult {
    return { files: this.#files, searched: this.#searched, skipped: this.#skipped, isWhole: this.#isWhole }
  }

  /** Searches the folder or the file of a place. */
  async run(roots: FileRoots, place: FilePlace): Promise<void> {
    if (place.names.length > 0 && !place.isFolder && (await roots.inParent(place, (folder, name) => this.#only(folder, name, place))))
      return
    await roots.inFolder(place, (folder) => this.#folder(folder, '', place.shown === '.' ? '' : `${place.shown.replace(/\/$/, '')}/`))
  }

  /** Searches the place itself, if it is a file. */
  async #only(folder: Folder, name: string, { shown }: FilePlace): Promise<boolean> {
    const stats = await folder.stats(name)
    if (stats === undefined || !stats.isFile()) return false
    await this.#file(folder, name, shown)
    return true
  }

  async #folder(folder: Folder, prefix: string, base: string): Promise<void> {
    const { entries, isWhole } = await readEntries(folder)
    if (!isWhole) this.#isWhole = false
    for (const { name, kind, isNamable } of entries) {
      if (this.#isFull) return
      const path = prefix + name
      if (!isNamable) this.#skip('unreadable')
      else if (kind === 'folder') await this.#beneath(folder, name, path, base)
      else if (kind === 'file' && this.#options.fits(path)) await this.#file(folder, name, base + path)
      await this.#pause()
    }
  }

  async #beneath(folder: Folder, name: string, path: string, base: string): Promise<void> {
    if (LEFT_OUT.has(name) || path.split('/').length > MAX_PATH_DEPTH) return this.#skip('left_out')
    try {
      await using beneath = await folder.folder(name)
      await this.#folder(beneath, `${path}/`, base)
    } catch (error) {
      this.#skipRefused(error)
    }
  }

  async #file(folder: Folder, name: string, path: string): Promise<void> {
    this.#seen += 1
    if (this.#seen > MAX_FILES) return this.#stop()
    const bytes = await this.#read(folder, name)
    if (bytes === undefined) return
    if (isBinary(bytes)) return this.#skip('binary')
    this.#searched += 1
    const text = new TextDecoder(readByteOrderMark(bytes).encoding).decode(bytes)
    const found: FoundFile = { path, lines: [] }
    let line = 0
    for (let at = 0; at < text.length && !this.#isFull; ) {
      const next = text.indexOf('\n', at)
      const end = next < 0 ? text.length : next
      line += 1
      this.#line(text.slice(at, end > at && text[end - 1] === '\r' ? end - 1 : end), line, found)
      at = end + 1
      if (line % 64 === 0) await this.#pause()
    }
    if (found.lines.length > 0) this.#files.push(found)
  }

  async #read(folder: Folder, name: string): Promise<Buffer | undefined> {
    try {
      await using file = await folder.file(name)
      return await readBytes(file, name, MAX_FILE_BYTES)
    } catch (error) {
      this.#skipRefused(error)
      return undefined
    }
  }

  #line(text: string, line: number, { path, lines }: FoundFile): void {
    if (!this.#options.matches(cutText(text, MAX_LINE_LENGTH))) return
    const shown = text.length > MAX_SHOWN_LENGTH ? `${cutText(text, MAX_SHOWN_LENGTH)}…` : text
    this.#length += JSON.stringify(lines.length === 0 ? [shown, path] : shown).length + 30
    if (this.#found >= this.#options.limit || this.#length > MAX_RESULT_LENGTH) return this.#stop()
    this.#found += 1
    lines.push({ line, text: shown })
  }

  #stop(): void {
    this.#isFull = true
    this.#isWhole = false
  }

  #skip(why: SkipReason): void {
    this.#skipped[why] = (this.#skipped[why] ?? 0) + 1
  }

  /** One file that cannot be read is no reason to end a search. */
  #skipRefused(error: unknown): void {
    if (!isHoldfastError(error)) throw error
    const reason = error.details['reason']
    if (reason !== 'not_found' && reason !== 'hidden') this.#skip(reason === 'too_large' ? 'too_large' : 'unreadable')
  }

  /** Lets others of this process run, and stops when nobody waits any more. */
  async #pause(): Promise<void> {
    this.#options.signal.throwIfAborted()
    if (performance.now() - this.#resumedAt < PAUSE_MS) return
    await setImmediate()
    this.#resumedAt = performance.now()
  }
}
