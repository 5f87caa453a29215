import { Buffer } from 'node:buffer'
import { refuseFile } from './file-refusal.ts'
import { showPath } from './shown-path.ts'

/** The longest path that is taken, in bytes of UTF-8. */
export const MAX_PATH_BYTES = 4_096
/** The longest name of one file or folder, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255
/** How many names a path may have. */
export const MAX_PATH_DEPTH = 64

/** A path as a model wrote it, taken apart: no empty names, no `.` and no `..`. */
export interface ParsedPath {
  readonly isAbsolute: boolean
  readonly names: readonly string[]
  /** Whether it can only mean a folder: it ends in `/` or `.`. */
  readonly isFolder: boolean
}

/** Takes a path apart, or refuses it: without looking at any disk. */
export function parseFilePath(path: string): ParsedPath {
  const invalid = (message: string) => refuseFile('invalid_path', path, `${message}; the path is ${showPath(path)}.`)
  if (path === '') throw invalid('a path must not be empty')
  if (path.length > MAX_PATH_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES) throw invalid(`a path has at most ${MAX_PATH_BYTES} bytes`)
  if (path.includes('\0')) throw invalid('a path must not contain the character NUL')
  if (!path.isWellFormed()) throw invalid('a path must be well-formed Unicode')
  const parts = path.split('/')
  if (parts.includes('..')) throw invalid('a path must not contain ".."')
  const names = parts.filter((part) => part !== '' && part !== '.')
  if (names.length > MAX_PATH_DEPTH) throw invalid(`a path has at most ${MAX_PATH_DEPTH} parts`)
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) throw invalid(`a name has at most ${MAX_NAME_BYTES} bytes`)
  return { isAbsolute: path.startsWith('/'), names, isFolder: ['', '.'].includes(parts.at(-1) ?? '') }
}

/** Names of a folder and of what is beneath it, as one absolute path. */
export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

/** The names of an absolute path. */
export function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '')
}

/** Whether a path is a folder or lies beneath it, by whole names. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`)
}
