import type { GrantedNames } from '../contracts/grants.ts'
import { byText } from './name-set.ts'

/** What can stand where a folder is wanted. */
export const ROOTS = 'an absolute folder such as "/data" or a named one such as "workspace:/sub", without "." and ".."'

/**
 * A folder or a path in its one canonical form, or nothing when it has none: absolute, or beneath a name (`workspace:/sub`). Only empty names between
 * slashes are left out. `.` and `..` are not resolved but refused: what they mean depends on links.
 */
export function toCanonicalRoot(text: string): string | undefined {
  const [, name, rest] = /^([a-z][a-z0-9-]{0,63}:)?(\/.*)$/s.exec(text) ?? []
  if (rest === undefined || rest.includes('\0') || !rest.isWellFormed()) return undefined
  const parts = rest.split('/').filter((part) => part !== '')
  if (parts.includes('.') || parts.includes('..')) return undefined
  return `${name ?? ''}/${parts.join('/')}`
}

/** Whether a canonical path is a folder or lies beneath it, by whole names. */
export function isBeneath(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Folders without those that lie beneath another one, in order. */
export function normalRoots(roots: GrantedNames): GrantedNames {
  if (roots === 'all') return roots
  const all = [...new Set(roots)].toSorted(byText)
  return all.filter((root) => !all.some((other) => other !== root && isBeneath(root, other)))
}

/** What lies in both: of two folders the deeper one, or nothing. */
export function intersectRoots(a: GrantedNames, b: GrantedNames): GrantedNames {
  if (a === 'all') return b
  if (b === 'all') return a
  return normalRoots([...a.filter((root) => holdsPath(b, root)), ...b.filter((root) => holdsPath(a, root))])
}

/** Whether a canonical path lies in one of the folders. */
export function holdsPath(roots: GrantedNames, path: string): boolean {
  return roots === 'all' || roots.some((root) => isBeneath(path, root))
}
