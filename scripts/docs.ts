// Writes docs/reference from the code, or with --check fails when a page differs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandPage } from './docs/command-page.ts'
import { configPage } from './docs/config-page.ts'
import { errorsPage } from './docs/errors-page.ts'
import { factsPage } from './docs/facts-page.ts'
import { manifestPage } from './docs/manifest-page.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'docs/reference')

const pages: { readonly [file: string]: string } = {
  'command.md': await commandPage(),
  'configuration.md': configPage(),
  'errors.md': errorsPage(),
  'facts.md': factsPage(ROOT),
  'manifest.md': manifestPage()
}

if (process.argv.includes('--check')) check()
else write()

function write(): void {
  mkdirSync(FOLDER, { recursive: true })
  for (const [file, text] of Object.entries(pages)) writeFileSync(join(FOLDER, file), text)
}

function check(): void {
  const differing = Object.entries(pages).filter(([file, text]) => readPage(file) !== text)
  if (differing.length === 0) return
  const names = differing.map(([file]) => `docs/reference/${file}`)
  console.error(`The reference differs from the code: ${names.join(', ')}. Run \`npm run docs\`, read the difference and commit it.`)
  process.exitCode = 1
}

function readPage(file: string): string | undefined {
  const path = join(FOLDER, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
