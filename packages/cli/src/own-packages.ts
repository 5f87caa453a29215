import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toShellWord } from './shell-word.ts'

/** The folder of this package. */
const HERE = fileURLToPath(new URL('..', import.meta.url))
const MODULES = 'node_modules'
/** The packages of a project, with their folders in a checkout. */
const PACKAGES: readonly (readonly [name: string, folder: string])[] = [
  ['@holdfast/runtime', 'runtime'],
  ['@holdfast/config', 'config'],
  ['holdfast', 'cli']
]

/** How a project is given our packages: from the registry, or from where this command itself was taken. */
export function toInstallLine(packages: readonly string[] = findLocalPackages()): string {
  return ['npm install', ...packages.map(toShellWord)].join(' ')
}

/** What npm takes our packages from where it is not the registry: folders of a checkout, or files that were packed. */
export function findLocalPackages(here: string = HERE): readonly string[] {
  const parts = realpathSync(here).split(sep)
  const at = parts.lastIndexOf(MODULES)
  const found = at < 0 ? inCheckout(dirname(parts.join(sep))) : inProject(parts.slice(0, at).join(sep))
  return found.length === PACKAGES.length ? found : []
}

function inCheckout(folder: string): readonly string[] {
  return PACKAGES.map(([, name]) => join(folder, name)).filter((path) => existsSync(join(path, 'package.json')))
}

/** npm keeps beside the packages of a project where it has each from. */
function inProject(project: string): readonly string[] {
  const noted = readNoted(join(project, MODULES, '.package-lock.json'))
  return PACKAGES.flatMap(([name]) => {
    const resolved = noted[`${MODULES}/${name}`]?.resolved ?? ''
    return resolved.startsWith('file:') ? [resolve(project, resolved.slice('file:'.length))] : []
  })
}

type Noted = { readonly [path: string]: { readonly resolved?: string } | undefined }

/** Another program's file: where it is not there or reads otherwise, nothing is known. */
function readNoted(path: string): Noted {
  try {
    const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { readonly packages?: Noted }
    return packages ?? {}
  } catch {
    return {}
  }
}
