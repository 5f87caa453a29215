// Builds what is published. TypeScript checks and writes the types; rolldown puts the modules of a package into few files, because a process that
// imports a package pays for each file far more than for what stands in it (decision 16). Packages stay apart, and what is loaded late stays late.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { OutputChunk } from 'rolldown'
import { rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const folders = ['runtime', 'config', 'cli'].map((name) => join(ROOT, 'packages', name))

execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-b', '--emitDeclarationOnly', ...folders], { stdio: 'inherit' })
for (const folder of folders) await bundle(folder)

async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: folder,
    input: toEntries(folder),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    tsconfig: false
  })
  const { output } = await build.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true, // they are published beside it
    comments: { legal: true, annotation: false, jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js'
  })
  await build.close()
  for (const chunk of output) if (chunk.type === 'chunk') assertPlace(chunk, join(folder, 'src'))
  removeOthers(join(folder, 'dist'), new Set(output.map(({ fileName }) => fileName)))
}

/** What finds its package by its own place is one folder below it, as a source and as built. */
function assertPlace({ modules }: OutputChunk, src: string): void {
  const astray = Object.entries(modules).find(
    ([id, { code }]) => dirname(id) !== src && /import\.meta\.(url|dirname|filename)/.test(code ?? '')
  )
  if (astray !== undefined)
    throw new Error(`${astray[0]} uses import.meta, which only files directly in ${src} may: what is built has another place`)
}

/** The entry points that the manifest of a package names, by the name of their file in `dist`. */
function toEntries(folder: string): { [name: string]: string } {
  const { exports = {}, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const built = Object.values(exports).flatMap((target) => (typeof target === 'string' ? [] : [target.default]))
  const names = [...built, ...(bin === undefined ? [] : ['./dist/main.js'])].map((path) => relative('dist', path).replace(/\.js$/, ''))
  return Object.fromEntries(names.map((name) => [name, join(folder, 'src', `${name}.ts`)]))
}

interface Manifest {
  readonly exports?: { readonly [entry: string]: string | { readonly default: string } }
  readonly bin?: unknown
}

/** What an earlier build has left. */
function removeOthers(dist: string, written: ReadonlySet<string>): void {
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (/\.js(\.map)?$/.test(path) && !written.has(path.replaceAll('\\', '/'))) rmSync(join(dist, path))
  }
}
