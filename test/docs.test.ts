import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findConfig, loadConfig } from '../packages/config/src/index.ts'
import { ERROR_CODES } from '../packages/runtime/src/index.ts'
import { ERROR_CASES } from '../scripts/docs/error-cases.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCS = join(ROOT, 'docs')
const SNIPPETS = join(DOCS, 'snippets')
const pages = globSync('**/*.md', { cwd: DOCS })
const linkingFiles = [...globSync('*.md', { cwd: ROOT }).map((name) => join(ROOT, name)), ...pages.map((page) => join(DOCS, page))]

test('the reference is what the code gives', () => {
  expect(runNode(['scripts/docs.ts', '--check'])).toEqual({ status: 0, stderr: '' })
})

test('no cell of a table of the reference holds what is no value', () => {
  const cells = pages
    .filter((page) => page.startsWith('reference'))
    .flatMap((page) => readFileSync(join(DOCS, page), 'utf8').match(/\| *`?(?:NaN|undefined|\[object Object\])`? *\|/g) ?? [])
  expect(cells).toEqual([])
})

test('pages quote snippets as they are, and every snippet is quoted', () => {
  const quoted = pages.flatMap((page) => quotesOf(page))
  for (const { page, file, text } of quoted) expect(text, `${file} in ${page}`).toBe(readFileSync(join(DOCS, file), 'utf8'))
  const files = globSync('*', { cwd: SNIPPETS }).filter((name) => name !== 'biome.json')
  expect(new Set(quoted.map(({ file }) => file))).toEqual(new Set(files.map((name) => `snippets/${name}`)))
})

// Some fifteen processes, one after another: on a loaded machine they take a while.
test('snippets do what they say', { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-snippets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const programs = globSync('*.ts', { cwd: SNIPPETS }).filter((name) => !name.endsWith('.test.ts'))
  expect(programs.length).toBeGreaterThan(2)
  for (const name of programs) {
    expect({ name, ...runNode([join(SNIPPETS, name), join(folder, `${name}.db`)]) }).toEqual({ name, status: 0, stderr: '' })
  }
  expect(runNode(['--test', ...globSync('*.test.ts', { cwd: SNIPPETS }).map((name) => join(SNIPPETS, name))]).status).toBe(0)
  expect((await findConfig(SNIPPETS))?.models['main']?.provider).toBe('work')
  expect((await loadConfig(join(SNIPPETS, 'granted.config.yaml'))).grants?.files.read).toEqual(['workspace:/notes'])
})

test('links lead to files, and their anchors to headings', () => {
  const links = linkingFiles.flatMap((file) => linksOf(file))
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ to }) => !existsSync(to))).toEqual([])
  const anchored = links.filter(({ anchor }) => anchor !== '')
  expect(anchored.length).toBeGreaterThan(1)
  expect(anchored.filter(({ to, anchor }) => !anchorsOf(to).has(anchor))).toEqual([])
})

test('every page is reached from the index', () => {
  const reached = new Set<string>()
  const queue = [join(DOCS, 'README.md')]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    queue.push(
      ...linksOf(file)
        .map(({ to }) => to)
        .filter((to) => to.startsWith(DOCS) && to.endsWith('.md'))
    )
  }
  expect(pages.filter((page) => !reached.has(join(DOCS, page)))).toEqual([])
})

test('every error code has a page, every page a code, and troubleshooting leads to all of them', () => {
  const codes = Object.keys(ERROR_CODES).toSorted()
  expect(
    globSync('reference/errors/*.md', { cwd: DOCS })
      .map((page) => basename(page, '.md'))
      .toSorted()
  ).toEqual(codes)
  const told = linksOf(join(DOCS, 'how-to/troubleshoot.md'))
    .filter(({ to }) => basename(dirname(to)) === 'errors')
    .map(({ to }) => basename(to, '.md'))
  expect([...new Set(told)].toSorted()).toEqual(codes)
})

test('what an error page says is what the code says', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
    .map((name) => readFileSync(join(ROOT, name), 'utf8'))
    .join('\n')
  const unknown = Object.entries(ERROR_CASES).filter(([, { message }]) => !longestFragments(message).some((part) => sources.includes(part)))
  expect(unknown).toEqual([])
})

/** The longest parts of a message in which nothing stands that differs from case to case. Messages are put together of pieces: two are looked for. */
function longestFragments(message: string): readonly string[] {
  const parts = message.split(/[…:,;.("\d\n]+/).map((part) => part.trim())
  return parts
    .filter((part) => part.length > 5)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, 2)
}

function quotesOf(page: string) {
  const text = readFileSync(join(DOCS, page), 'utf8')
  const blocks = text.matchAll(/^```\w+ file=(snippets\/\S+)\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, file = '', quote = '']) => ({ page, file, text: quote }))
}

/** Where a file's relative links lead; code does not count. */
function linksOf(file: string): readonly { readonly from: string; readonly to: string; readonly anchor: string }[] {
  const links = [...proseOf(file).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)].filter(([, to = '']) => !/^[a-z]+:/.test(to))
  return links.map(([, to = '', anchor = '']) => ({ from: file, to: to === '' ? file : join(dirname(file), to), anchor }))
}

/** The anchors that a page's headings get. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = [...proseOf(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-')
    )
  )
}

function proseOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

function runNode(args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=@holdfast/source', ...args], { cwd: ROOT, env, encoding: 'utf8' })
  return { status, stderr }
}
