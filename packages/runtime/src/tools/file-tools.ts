import { resolve } from 'node:path'
import { HoldfastError } from '../contracts/errors.ts'
import type { OptionNames } from '../contracts/known-options.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import type { Tool, ToolNeeds } from '../contracts/tool.ts'
import { ROOTS, toCanonicalRoot } from '../grants/root-set.ts'
import { createEditFile } from './edit-file.ts'
import type { FileRoots, FileRootsOptions } from './file-roots.ts'
import { openFileRoots } from './file-roots.ts'
import { createListDirectory } from './list-directory.ts'
import { createReadFile } from './read-file.ts'
import { createSearchFiles } from './search-files.ts'
import { createWriteFile } from './write-file.ts'

const NAMES: OptionNames<FileRootsOptions> = { read: true, write: true, hidden: true, folders: true }

/**
 * Tools for files in declared folders: `read_file`, `list_directory`, `search_files`, `write_file` and `edit_file`, those that `read` and `write` allow.
 *
 * A call reaches what lies in these folders and in the grants of its thread (`context.grants`). A relative path begins at the first such folder of `read`, or
 * of `write` when nothing may be read. No symbolic link beneath a folder is followed and `..` is
 * refused. On Linux that holds also while others swap folders and links; elsewhere someone who may rename folders in a root can win a race. A hard link
 * is a file like any other: what it shares with a file elsewhere can be read, and writing gives the name a file of its own. `hidden` must contain the
 * folder of the store when a root does.
 *
 * Throws `invalid_input` when a list holds anything but paths. That each is a folder is checked when a tool is first used.
 */
export function fileTools(options: FileRootsOptions): readonly Tool<never>[] {
  assertKnownOptions('fileTools', options, NAMES)
  const { read = [], write = [], hidden = [], folders = {} } = options
  const lists = {
    read: copyPaths('read', read),
    write: copyPaths('write', write),
    hidden: copyPaths('hidden', hidden),
    folders: copyFolders(folders)
  }
  let opened: Promise<FileRoots> | undefined
  const openRoots = () => {
    opened ??= openFileRoots(lists)
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }
  const readers = [createReadFile(openRoots), createListDirectory(openRoots), createSearchFiles(openRoots)]
  const needs = { read: lists.read.map((root) => resolve(root)), write: lists.write.map((root) => resolve(root)) }
  return [
    ...(read.length > 0 ? readers.map((tool) => toOsTool(tool, { read: needs.read })) : []),
    ...(write.length > 0 ? [toOsTool(createWriteFile(openRoots), { write: needs.write })] : []),
    ...(read.length > 0 && write.length > 0 ? [toOsTool(createEditFile(openRoots), needs)] : [])
  ]
}

function toOsTool(tool: Tool<never>, files: NonNullable<ToolNeeds['files']>): Tool<never> {
  return { ...tool, origin: 'os', needs: { files } }
}

function copyFolders(folders: { readonly [granted: string]: unknown }): { readonly [granted: string]: string } {
  const names = Object.keys(folders)
  const paths = copyPaths('folders', Object.values(folders))
  if (names.every((name) => toCanonicalRoot(name) === name)) {
    return Object.fromEntries(names.map((name, index) => [name, paths[index] ?? name]))
  }
  throw new HoldfastError('invalid_input', `\`folders\` of the file tools must name ${ROOTS}.`, { details: { field: 'folders' } })
}

function copyPaths(field: string, paths: readonly unknown[]): readonly string[] {
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string' && path !== '' && !path.includes('\0')))
    return paths.map(String)
  throw new HoldfastError('invalid_input', `\`${field}\` of the file tools must be a list of paths.`, { details: { field } })
}
