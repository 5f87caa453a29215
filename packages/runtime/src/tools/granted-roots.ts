// Keeps I8 against races: what of a root is granted is judged by names alone. No link is followed for it, so nobody can move what was granted elsewhere.
import type { GrantedNames } from '../contracts/grants.ts'
import { isBeneath } from '../grants/root-set.ts'
import { isWithin, joinPath, namesOf } from './file-path.ts'

/** A folder that tools may use, with all beneath it. */
export interface Root {
  /** The folder that the host named, where the way begins: canonical, and without a link. */
  readonly top: string
  /** That folder or one beneath it: what lies here may be used, what lies between is only passed. */
  readonly path: string
  /** The same in the host's own spelling. */
  readonly given: string
}

/** How grants call a folder otherwise: by a name (`workspace:/`), or by another spelling. */
export interface GrantedFolder {
  readonly name: string
  /** The canonical path. */
  readonly path: string
}

/** What of some roots is granted, in the order of the roots. A granted folder that contains a root grants all of it. */
export function toGrantedRoots(roots: readonly Root[], granted: GrantedNames, folders: readonly GrantedFolder[]): readonly Root[] {
  if (granted === 'all') return roots
  const paths = granted.flatMap((each) => toPaths(each, folders))
  return roots.flatMap((root) => {
    if (paths.some((path) => isWithin(root.path, path) || isWithin(root.given, path))) return [root]
    const deeper = paths.flatMap((path) => namesBeneath(root, path) ?? []).map((names) => narrowed(root, names))
    return [...new Map(deeper.map((each) => [each.path, each])).values()]
  })
}

function toPaths(granted: string, folders: readonly GrantedFolder[]): readonly string[] {
  const named = folders.filter(({ name }) => isBeneath(granted, name))
  const paths = named.map(({ name, path }) => namesOf(granted.slice(name.length)).reduce(joinPath, path))
  return granted.startsWith('/') ? [granted, ...paths] : paths
}

/** In a list, so that a root itself and nothing can be told apart. */
function namesBeneath(root: Root, path: string): readonly [readonly string[]] | undefined {
  const from = [root.path, root.given].find((each) => isWithin(path, each))
  return from === undefined ? undefined : [namesOf(path.slice(from.length))]
}

function narrowed({ top, path, given }: Root, names: readonly string[]): Root {
  return { top, path: names.reduce(joinPath, path), given: names.reduce(joinPath, given) }
}
