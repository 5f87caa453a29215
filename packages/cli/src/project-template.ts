import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownVersion } from './package-version.ts'

/** A file of a new project. */
export interface ProjectFile {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

/** The names of all templates. */
export const TEMPLATES: readonly string[] = ['starter', 'support']

/** Beside `src` and `dist` alike. */
const FOLDER = fileURLToPath(new URL('../templates/', import.meta.url))
/** What a template begins a name with whose dot npm would not pack, or would obey. */
const DOT = /^dot-/

/** The files of a template for a project in a folder: named after it, with the packages of this version. */
export function readTemplate(template: string, folder: string): readonly ProjectFile[] {
  const root = join(FOLDER, template)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => {
      const names = path.slice(root.length + 1).split(sep)
      const text = readFileSync(path, 'utf8')
      const target = names.map((name) => name.replace(DOT, '.')).join('/')
      return { path: target, text: target === 'package.json' ? toManifest(text, folder) : text }
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Writes a file that is not there yet. Throws when it is. */
export function writeProjectFile(folder: string, { path, text }: ProjectFile): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text, { flag: 'wx' })
}

function toManifest(text: string, folder: string): string {
  const manifest = JSON.parse(text) as { readonly dependencies: { readonly [name: string]: string } }
  const own = `^${ownVersion()}`
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).map(([name, version]) => [name, version === '*' ? own : version])
  )
  return `${JSON.stringify({ ...manifest, name: toPackageName(basename(folder)), dependencies }, null, 2)}\n`
}

function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
  return name === '' ? 'agent' : name.slice(0, 200)
}
