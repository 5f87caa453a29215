// Forbidden edits, each made in a temporary copy of the repository's layout, and the rule that must refuse it.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALLOWED, FORBIDDEN, NEIGHBOURS } from './lint-cases.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONFIGURATION = ['biome.json', '.gitignore', 'package.json', 'scripts/lint']
const PACKAGES = ['packages/runtime', 'packages/config', 'packages/cli']

type Diagnostic = { readonly category: string; readonly severity: string; readonly location: { readonly path: string } }
type Row = { readonly options: { readonly patterns: readonly [{ readonly group: readonly string[] }] } }
type Override = {
  readonly includes: readonly string[]
  readonly linter: { readonly rules: { readonly style?: { readonly noRestrictedImports?: Row } } }
}

let copy = ''
let found: readonly Diagnostic[] = []

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'holdfast-layers-'))
  for (const path of CONFIGURATION) cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  for (const path of PACKAGES) cpSync(join(ROOT, path, 'package.json'), join(copy, path, 'package.json'))
  for (const { path, source } of [...NEIGHBOURS, ...FORBIDDEN, ...ALLOWED]) write(path, source)
  found = lint()
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

test.each(FORBIDDEN)('refuses $name', ({ path, rule }) => {
  expect(categoriesOf(path)).toContain(rule)
})

test.each(ALLOWED)('allows $name', ({ path }) => {
  expect(categoriesOf(path)).toEqual([])
})

test('every source file of a layer stands under exactly one row of imports', () => {
  const rows = overrides().filter((override) => override.linter.rules.style?.noRestrictedImports !== undefined)
  const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
  expect(files.length).toBeGreaterThan(20)
  const wrong = files.filter((file) => rowsOf(rows, file).length !== (isTop(file) ? 0 : 1))
  expect(wrong).toEqual([])
})

test('the table of ARCHITECTURE.md says what the linter holds', () => {
  const rows = overrides().filter((override) => override.linter.rules.style?.noRestrictedImports !== undefined)
  const held = rows
    .filter((row) => row.includes[0]?.startsWith('packages/runtime/'))
    .map((row) => [row.includes[0]?.split('/')[3], allowedBy(row)])
  expect(held.length).toBeGreaterThan(5)
  expect(Object.fromEntries(tableOf('ARCHITECTURE.md'))).toEqual(Object.fromEntries(held))
})

test('AGENTS.md lists the files that load when first used', () => {
  const plugins = (
    JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as { plugins: readonly { path: string; includes: readonly string[] }[] }
  ).plugins
  const lazy = plugins.find((plugin) => plugin.path.endsWith('lazy-imports.grit'))?.includes.filter((glob) => glob.startsWith('!'))
  const listed = [...readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').matchAll(/^\| `(packages\/\S+)` \|/gm)].map((match) => `!${match[1]}`)
  expect(listed).toEqual(lazy)
})

test('no source file has more than 300 lines, with its comments', () => {
  // The linter's rule does not count comments.
  const lengths = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).map(
    (file) => [file, readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1] as const
  )
  expect(lengths.length).toBeGreaterThan(100)
  expect(lengths.filter(([, lines]) => lines > 300)).toEqual([])
})

/** Rows of the table of layers: the folder, and the names that it may import. */
function tableOf(document: string): [string, readonly string[]][] {
  const rows = readFileSync(join(ROOT, document), 'utf8').matchAll(/^\| `([a-z]+)` \| [^|]*\| ([^|]*) \|$/gm)
  return [...rows].map(([, folder = '', names = '']) => [folder, [...names.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '').sort()])
}

function allowedBy(row: Override): readonly string[] {
  const group = row.linter.rules.style?.noRestrictedImports?.options.patterns[0].group
  const names = (group ?? [])
    .filter((glob) => glob.startsWith('!') && glob !== '!./**')
    .map((glob) =>
      glob
        .slice(1)
        .replace(/^\.\.\/|\/\*\*$/g, '')
        .replace('/**', '')
    )
  return [...new Set(names)].sort()
}

/** The files beside `index.ts` of the runtime wire everything, and may import all. */
function isTop(file: string): boolean {
  return /^packages\/runtime\/src\/[^/]+$/.test(file)
}

function rowsOf(rows: readonly Override[], file: string): readonly Override[] {
  return rows.filter((row) => row.includes.some((glob) => matchesGlob(file, glob)))
}

function overrides(): readonly Override[] {
  return (JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as { overrides: readonly Override[] }).overrides
}

function write(path: string, source: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  writeFileSync(join(copy, path), source)
}

function lint(): readonly Diagnostic[] {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const run = () =>
    execFileSync(biome, ['lint', '--reporter=json', '--max-diagnostics=none', 'packages'], { cwd: copy, encoding: 'utf8', stdio: 'pipe' })
  return (JSON.parse(outputOf(run)) as { diagnostics: readonly Diagnostic[] }).diagnostics
}

/** Biome's report; it exits with 1 when it found something, which here it must. */
function outputOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

/** What was found in a file that makes the check fail. */
function categoriesOf(path: string): readonly string[] {
  return found.filter((item) => item.severity !== 'information' && samePath(item.location.path, path)).map((item) => item.category)
}

function samePath(reported: string, path: string): boolean {
  return reported === path || relative(copy, reported) === path
}
