import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findConfig } from '../packages/config/src/index.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCS = join(ROOT, 'docs')
const SNIPPETS = join(DOCS, 'snippets')
const pages = globSync('**/*.md', { cwd: DOCS })

test('the reference is what the code gives', () => {
  expect(runNode(['scripts/docs.ts', '--check'])).toEqual({ status: 0, stderr: '' })
})

test('pages quote snippets as they are, and every snippet is quoted', () => {
  const quoted = pages.flatMap((page) => quotesOf(page))
  for (const { page, file, text } of quoted) expect(text, `${file} in ${page}`).toBe(readFileSync(join(DOCS, file), 'utf8'))
  const files = globSync('*', { cwd: SNIPPETS }).filter((name) => name !== 'biome.json')
  expect(new Set(quoted.map(({ file }) => file))).toEqual(new Set(files.map((name) => `snippets/${name}`)))
})

test('snippets do what they say', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-snippets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(runNode([join(SNIPPETS, 'configured.ts')])).toEqual({ status: 0, stderr: '' })
  expect(runNode([join(SNIPPETS, 'payment-tools.ts')])).toEqual({ status: 0, stderr: '' })
  expect(runNode([join(SNIPPETS, 'pick-up.ts'), join(folder, 'holdfast.db')])).toEqual({ status: 0, stderr: '' })
  expect(runNode(['--test', ...globSync('*.test.ts', { cwd: SNIPPETS }).map((name) => join(SNIPPETS, name))]).status).toBe(0)
  expect((await findConfig(SNIPPETS))?.models['main']?.provider).toBe('work')
})

test('links between pages lead to files', () => {
  const links = pages.flatMap((page) => linksOf(page).map((to) => join(dirname(page), to)))
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter((path) => !existsSync(join(DOCS, path)))).toEqual([])
})

function quotesOf(page: string) {
  const text = readFileSync(join(DOCS, page), 'utf8')
  const blocks = text.matchAll(/^```\w+ file=(snippets\/\S+)\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, file = '', quote = '']) => ({ page, file, text: quote }))
}

/** Where a page's relative links lead, without their anchors. */
function linksOf(page: string): readonly string[] {
  const prose = readFileSync(join(DOCS, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to).filter((to) => !/^[a-z]+:/.test(to))
}

function runNode(args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=@holdfast/source', ...args], { cwd: ROOT, env, encoding: 'utf8' })
  return { status, stderr }
}
