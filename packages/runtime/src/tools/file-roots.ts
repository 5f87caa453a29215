import { open, readlink, realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HoldfastError } from '../contracts/errors.ts'
import type { Grants } from '../contracts/grants.ts'
import { isWithin, joinPath, namesOf, parseFilePath } from './file-path.ts'
import { refuseFile, toFileRefusal } from './file-refusal.ts'
import type { FolderRules } from './folder.ts'
import { Folder, refuseHidden } from './folder.ts'
import type { GrantedFolder, Root } from './granted-roots.ts'
import { toGrantedRoots } from './granted-roots.ts'
import { createHiddenFolders, resolveMissing } from './hidden-folders.ts'
import { isKernelFiles } from './kernel-files.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import { showPath } from './shown-path.ts'

/** Which folders file tools may read and write, and what they may not even then. */
export interface FileRootsOptions {
  /** Folders that may be read, with all beneath them. */
  readonly read?: readonly string[]
  /** Folders that may be written, with all beneath them. Says nothing about reading. */
  readonly write?: readonly string[]
  /** Folders or files that no tool sees or touches, although a root contains them: the store's. */
  readonly hidden?: readonly string[]
  /** Folders that grants call otherwise: by a name (`workspace:/`), or by a path with links; and where each of them lies. */
  readonly folders?: { readonly [granted: string]: string }
}

/** What is to be done with a path. */
export type FileAccess = 'read' | 'write'

/** A path that lies in a root: canonical, and not yet looked at on any disk. */
export interface FilePlace {
  readonly path: string
  /** The folder of the host in which it lies, and the names from there. */
  readonly root: string
  readonly names: readonly string[]
  /** How many of the names only lead to what is granted: these folders are there or nothing is made. */
  readonly passed: number
  /** Whether it was written as a folder. */
  readonly isFolder: boolean
  /** As results name it: from the first root on, absolute when it lies in another. */
  readonly shown: string
}

/** Folders in which paths of a model are resolved. */
export interface FileRoots {
  /** Whether the system lets a root be held against whoever swaps folders and links meanwhile. */
  readonly isRaceFree: boolean
  /**
   * Finds the place of a path, absolute or relative to the first folder that is a root and is granted. Refuses what lies in no root for this access, or
   * in none of what is granted.
   */
  locate(path: string, access: FileAccess, granted: Grants['files']): FilePlace
  /** Opens the folder of a place for as long as `work` takes. */
  inFolder<T>(place: FilePlace, work: (folder: Folder) => Promise<T>): Promise<T>
  /** The same with the folder in which the file of a place lies; `make`: what is missing of it is made. */
  inParent<T>(place: FilePlace, work: (folder: Folder, name: string) => Promise<T>, options?: { readonly make?: boolean }): Promise<T>
  /** Does one thing after another with the same path, within this process. */
  inTurn<T>(place: FilePlace, work: () => Promise<T>): Promise<T>
}

/** Gives the roots, opened when they are first asked for. */
export type OpenRoots = () => Promise<FileRoots>

/** Where Linux names the open files of a process. */
const DESCRIPTORS = '/proc/self/fd'

/**
 * Opens the roots of file tools. Each must be a folder; a root may itself be named by a link. No link beneath a root is followed, also not one that stays
 * inside: what a path names is what it says. `..` is refused.
 *
 * Throws `invalid_input` (details: `root`) when a root is no folder, belongs to the kernel, or lies within what is hidden.
 */
export async function openFileRoots(options: FileRootsOptions, { descriptors = DESCRIPTORS } = {}): Promise<FileRoots> {
  const hidden = await createHiddenFolders(options.hidden ?? [])
  const rules: FolderRules = { hidden, descriptors: (await hasDescriptors(descriptors)) ? descriptors : undefined }
  const open = (given: string) => openRoot(given, rules)
  const roots = { read: await Promise.all((options.read ?? []).map(open)), write: await Promise.all((options.write ?? []).map(open)) }
  const folders = await Promise.all(Object.entries(options.folders ?? {}).map(toGrantedFolder))
  const queue = createKeyedQueue()

  async function walk(root: string, names: readonly string[], makeFrom = Number.POSITIVE_INFINITY): Promise<Folder> {
    await hidden.refresh()
    let folder = await Folder.open(root, rules).catch((error: unknown) => {
      throw toFileRefusal(error, root)
    })
    for (const [index, name] of names.entries()) {
      await using parent = folder
      folder = await (index >= makeFrom ? parent.makeFolder(name) : parent.folder(name))
    }
    return folder
  }

  return {
    isRaceFree: rules.descriptors !== undefined,
    locate(path, access, granted) {
      const open = {
        read: toGrantedRoots(roots.read, granted.read, folders),
        write: toGrantedRoots(roots.write, granted.write, folders)
      }
      const found = locate(path, open[access], open)
      if (found === undefined) throw refuseOutside(path, access, open[access])
      if (hidden.covers(found.path)) throw refuseHidden(path)
      return found
    },
    async inFolder(place, work) {
      await using folder = await walk(place.root, place.names)
      return await work(folder)
    },
    async inParent(place, work, { make = false } = {}) {
      const name = place.names.at(-1)
      if (name === undefined || place.isFolder) throw refuseFile('not_a_file', place.path, `${showPath(place.shown)} names a folder.`)
      await using folder = await walk(place.root, place.names.slice(0, -1), make ? place.passed : undefined)
      return await work(folder, name)
    },
    inTurn: (place, work) => queue(place.path, work)
  }
}

async function hasDescriptors(descriptors: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  try {
    await using top = await open('/', 'r')
    const address = `${descriptors}/${top.fd}`
    const [named, real] = await Promise.all([stat(`${address}/.`, { bigint: true }), top.stat({ bigint: true })])
    return named.dev === real.dev && named.ino === real.ino && (await readlink(address)) === '/'
  } catch {
    return false
  }
}

async function openRoot(given: string, rules: FolderRules): Promise<Root> {
  const refuse = (message: string, cause?: unknown) =>
    new HoldfastError('invalid_input', `The root ${showPath(given)} ${message}.`, { details: { root: given }, ...(cause ? { cause } : {}) })
  const path = await realpath(resolve(given)).catch((error: unknown) => {
    throw refuse('cannot be opened: it must be a folder that exists', error)
  })
  const stats = await stat(path, { bigint: true })
  if (!stats.isDirectory()) throw refuse('is no folder')
  if (await isKernelFiles(path)) throw refuse('belongs to the kernel')
  if (rules.hidden.covers(path) || rules.hidden.is(stats)) throw refuse('lies within what is hidden from tools')
  const top = await Folder.open(path, rules).catch((error: unknown) => {
    throw refuse('cannot be opened', error)
  })
  await top[Symbol.asyncDispose]()
  return { top: path, path, given: resolve(given) }
}

async function toGrantedFolder([name, folder]: readonly [string, string]): Promise<GrantedFolder> {
  return { name, path: await resolveMissing(resolve(folder)) }
}

/** Roots for each access. */
type OpenedRoots = { readonly [access in FileAccess]: readonly Root[] }

function locate(path: string, roots: readonly Root[], { read, write }: OpenedRoots): FilePlace | undefined {
  const { isAbsolute, names, isFolder } = parseFilePath(path)
  const base = read[0] ?? write[0]
  const start = isAbsolute ? '/' : base?.path
  if (start === undefined) return undefined
  const plain = names.reduce(joinPath, start)
  const candidates = [plain, ...(isAbsolute ? respell(plain, [...read, ...write]) : [])]
  for (const candidate of candidates) {
    const root = roots.find((each) => isWithin(candidate, each.path))
    if (root === undefined) continue
    return {
      path: candidate,
      root: root.top,
      names: namesOf(candidate.slice(root.top.length)),
      passed: Math.max(0, namesOf(root.path.slice(root.top.length)).length - 1),
      isFolder,
      shown: base !== undefined && isWithin(candidate, base.path) ? candidate.slice(base.path.length).replace(/^\//, '') || '.' : candidate
    }
  }
  return undefined
}

/** A path that begins as the host spelled a root, from the root's canonical path on. */
function respell(path: string, roots: readonly Root[]): readonly string[] {
  return roots.flatMap((root) => (isWithin(path, root.given) ? [namesOf(path.slice(root.given.length)).reduce(joinPath, root.path)] : []))
}

function refuseOutside(path: string, access: FileAccess, roots: readonly Root[]): HoldfastError {
  const done = access === 'read' ? 'read' : 'written'
  const open = roots.slice(0, 10).map((root) => showPath(root.path))
  const hint = open.length === 0 ? `nothing may be ${done} here` : `only what lies in ${open.join(', ')} may be ${done}`
  return refuseFile('outside_roots', path, `${showPath(path)}: ${hint}.`)
}
