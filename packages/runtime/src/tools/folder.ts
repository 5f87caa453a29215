// Keeps: (1) no symbolic link beneath `/` is followed, whoever swaps folders and links meanwhile; (2) what is opened is the very thing that was looked at;
// (3) nothing hidden is opened; (4) only ordinary files are opened, so that no fifo or device can block or act.
//
// Where the system gives every open folder a name (`/proc/self/fd/N`, Linux), that name is the folder itself, and (1) and (2) hold against everybody. Elsewhere
// paths are resolved and compared before and after each step. What remains there: whoever can rename folders within a root may hit the moment between.
//
// An address is that of an open folder only while it is open: afterwards its number may be another's. Who opens one awaits all that is done with it.
import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { joinPath } from './file-path.ts'
import { refuseFile, systemCodeOf, toFileRefusal } from './file-refusal.ts'
import type { HiddenFolders } from './hidden-folders.ts'
import { isKernelFiles } from './kernel-files.ts'
import { showPath } from './shown-path.ts'

/** What holds for every folder of a set of roots. */
export interface FolderRules {
  readonly hidden: HiddenFolders
  /** Where open folders have names, such as `/proc/self/fd`; undefined where they have none. */
  readonly descriptors: string | undefined
}

/** What a name stands for. */
export type FileKind = 'file' | 'folder' | 'link' | 'special'

/** Something in a folder that was looked at and not opened. `address` leads to it and to nothing else, where open folders have names. */
export interface Seen extends AsyncDisposable {
  readonly stats: BigIntStats
  readonly address: string
}

/** An ordinary file that is open for reading. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle
  readonly stats: BigIntStats
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_NOCTTY } = constants
/** Opens a name and not what it stands for: nothing is read, no device acts. One number in all Linux systems that Node runs on. */
const O_PATH = 0o10000000

/** What a system says that does not sync folders, or not one that may be written and not read. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'])

/** An open folder. What is beneath it is reached by one name at a time. */
export class Folder implements AsyncDisposable {
  /** Its canonical path. */
  readonly path: string
  readonly #handle: FileHandle
  readonly #stats: BigIntStats
  readonly #rules: FolderRules

  private constructor(path: string, handle: FileHandle, stats: BigIntStats, rules: FolderRules) {
    this.path = path
    this.#handle = handle
    this.#stats = stats
    this.#rules = rules
  }

  /** Opens a folder by its canonical path. */
  static open(path: string, rules: FolderRules): Promise<Folder> {
    return Folder.#open(path, path, rules)
  }

  static async #open(path: string, address: string, rules: FolderRules, parent?: Folder): Promise<Folder> {
    const handle = await open(address, (rules.descriptors === undefined ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW)
    try {
      const stats = await handle.stat({ bigint: true })
      const folder = new Folder(path, handle, stats, rules)
      if (rules.hidden.is(stats)) throw refuseHidden(path)
      // The system says where an open folder lies: a link on the way to it would show.
      if (parent === undefined && rules.descriptors !== undefined && (await readlink(folder.address())) !== path) throw refuseMoved(path)
      if (parent !== undefined && stats.dev !== parent.#stats.dev && (await isKernelFiles(folder.address()))) throw refuseSpecial(path)
      await folder.verify()
      return folder
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Where the folder, or a name in it, is for the system. */
  address(name?: string): string {
    const { descriptors } = this.#rules
    const base = descriptors === undefined ? this.path : `${descriptors}/${this.#handle.fd}`
    return name === undefined ? base : joinPath(base, name)
  }

  /** Where open folders have no names: whether the path still leads to this folder, and through no link. */
  async verify(): Promise<void> {
    if (this.#rules.descriptors !== undefined) return
    const [real, { dev, ino }] = await Promise.all([realpath(this.path), stat(this.path, { bigint: true })])
    if (real === this.path && dev === this.#stats.dev && ino === this.#stats.ino) return
    throw refuseMoved(this.path)
  }

  /** Opens a folder in this one. */
  async folder(name: string): Promise<Folder> {
    const path = this.#visible(name)
    try {
      return await Folder.#open(path, this.address(name), this.#rules, this)
    } catch (error) {
      const code = systemCodeOf(error)
      // Only for the words of the refusal.
      const stats = code === 'ENOTDIR' || code === 'ELOOP' ? await this.stats(name) : undefined
      throw stats?.isSymbolicLink() ? await this.#refuseLink(name) : toFileRefusal(error, path)
    }
  }

  /** Opens a folder in this one, and makes it first where there is none. */
  async makeFolder(name: string): Promise<Folder> {
    const path = this.#visible(name)
    try {
      await this.verify()
      await mkdir(this.address(name))
      await this.sync()
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw toFileRefusal(error, path)
    }
    return this.folder(name)
  }

  /** What stands in this folder under a name, without following it. `undefined` when nothing does. */
  async stats(name: string): Promise<BigIntStats | undefined> {
    try {
      return await lstat(this.address(name), { bigint: true })
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined
      throw toFileRefusal(error, joinPath(this.path, name))
    }
  }

  /** Where a link points to, as it is written. */
  async linkTarget(name: string): Promise<string | undefined> {
    return readlink(this.address(name)).catch(() => undefined)
  }

  /** Whether a name in this folder, or what it stands for, is hidden. */
  hides(name: string, stats?: BigIntStats): boolean {
    return this.#rules.hidden.covers(joinPath(this.path, name)) || (stats !== undefined && this.#rules.hidden.is(stats))
  }

  /** Looks at an ordinary file of this folder, and refuses everything else. `undefined` when there is nothing. */
  async look(name: string): Promise<Seen | undefined> {
    const path = this.#visible(name)
    const seen = await this.#see(name).catch((error: unknown) => {
      if (systemCodeOf(error) === 'ENOENT') return undefined
      throw toFileRefusal(error, path)
    })
    if (seen === undefined) return undefined
    try {
      await this.#checkFile(name, seen)
      return seen
    } catch (error) {
      await seen[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Opens an ordinary file of this folder for reading. */
  async file(name: string): Promise<OpenFile> {
    const path = joinPath(this.path, name)
    await using seen = await this.look(name)
    if (seen === undefined) throw refuseFile('not_found', path, `${showPath(path)}: there is no such file.`)
    const isPinned = this.#rules.descriptors !== undefined
    try {
      const handle = await open(seen.address, O_RDONLY | O_NONBLOCK | O_NOCTTY | (isPinned ? 0 : O_NOFOLLOW))
      const file = { handle, stats: seen.stats, [Symbol.asyncDispose]: () => handle.close() }
      if (!isPinned) await this.#verifyFile(file, path)
      return file
    } catch (error) {
      throw toFileRefusal(error, path)
    }
  }

  /** Makes what was named in this folder survive a loss of power, where the system lets a folder be synced. */
  async sync(): Promise<void> {
    try {
      await using handle = await open(this.address(), O_RDONLY | O_DIRECTORY)
      await handle.sync()
    } catch (error) {
      if (!CANNOT_SYNC.has(systemCodeOf(error))) throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }

  async #see(name: string): Promise<Seen> {
    const { descriptors } = this.#rules
    if (descriptors === undefined) {
      const stats = await lstat(this.address(name), { bigint: true })
      return { stats, address: this.address(name), [Symbol.asyncDispose]: async () => {} }
    }
    const handle = await open(this.address(name), O_PATH | O_NOFOLLOW)
    try {
      const stats = await handle.stat({ bigint: true })
      return { stats, address: `${descriptors}/${handle.fd}`, [Symbol.asyncDispose]: () => handle.close() }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async #checkFile(name: string, { stats, address }: Seen): Promise<void> {
    const path = joinPath(this.path, name)
    if (this.#rules.hidden.is(stats)) throw refuseHidden(path)
    const kind = kindOf(stats)
    if (kind === 'link') throw await this.#refuseLink(name)
    if (kind === 'folder') throw refuseFile('not_a_file', path, `${showPath(path)} is a folder.`)
    if (kind === 'special') throw refuseSpecial(path)
    if (stats.dev !== this.#stats.dev && (await isKernelFiles(address))) throw refuseSpecial(path)
  }

  async #verifyFile({ handle, stats }: OpenFile, path: string): Promise<void> {
    try {
      const { dev, ino } = await handle.stat({ bigint: true })
      if (dev !== stats.dev || ino !== stats.ino) throw refuseMoved(path)
      await this.verify()
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  #visible(name: string): string {
    const path = joinPath(this.path, name)
    if (this.#rules.hidden.covers(path)) throw refuseHidden(path)
    return path
  }

  async #refuseLink(name: string): Promise<Error> {
    const path = joinPath(this.path, name)
    const target = await this.linkTarget(name)
    const where = target === undefined ? '' : ` to ${showPath(target)}`
    return refuseFile('link', path, `${showPath(path)} is a symbolic link${where}. Links are not followed: name the file or folder itself.`)
  }
}

/** What a name stands for, by its stats. */
export function kindOf(stats: BigIntStats): FileKind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'special'
}

/** The refusal of what belongs to the runtime. */
export function refuseHidden(path: string): Error {
  return refuseFile('hidden', path, `${showPath(path)} belongs to the runtime and is not open to tools.`)
}

function refuseMoved(path: string): Error {
  return refuseFile('moved', path, `${showPath(path)} was moved or replaced by a link meanwhile.`)
}

function refuseSpecial(path: string): Error {
  return refuseFile(
    'special_file',
    path,
    `${showPath(path)} is no ordinary file: devices, pipes, sockets and files of the kernel are not opened.`
  )
}
