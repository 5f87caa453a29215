// Writes docs/reference from the code, or with --check fails when a page differs.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandPage } from './docs/command-page.ts'
import { configPage } from './docs/config-page.ts'
import { errorPages, errorsPage } from './docs/errors-page.ts'
import { factsPage } from './docs/facts-page.ts'
import { grantsPage } from './docs/grants-page.ts'
import { manifestPage } from './docs/manifest-page.ts'
import { recordsPage } from './docs/records-page.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'docs/reference')

const pages: { readonly [file: string]: string } = {
  'command.md': await commandPage(),
  'configuration.md': configPage(),
  'errors.md': errorsPage(),
  ...errorPages(),
  'facts.md': factsPage(ROOT),
  'grants.md': grantsPage(),
  'manifest.md': manifestPage(),
  'records.md': recordsPage(ROOT)
}

if (process.argv.includes('--check')) check()
else write()

function write(): void {
  for (const [file, text] of Object.entries(pages)) {
    mkdirSync(dirname(join(FOLDER, file)), { recursive: true })
    writeFileSync(join(FOLDER, file), text)
  }
  for (const file of surplus()) rmSync(join(FOLDER, file))
}

function check(): void {
  const differing = Object.entries(pages).flatMap(([file, text]) => (readPage(file) === text ? [] : [file]))
  const names = [...differing, ...surplus()].map((file) => `docs/reference/${file}`)
  if (names.length === 0) return
  console.error(`The reference differs from the code: ${names.join(', ')}. Run \`npm run docs\`, read the difference and commit it.`)
  process.exitCode = 1
}

function readPage(file: string): string | undefined {
  const path = join(FOLDER, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Pages of codes that are no more. */
function surplus(): readonly string[] {
  return globSync('errors/*.md', { cwd: FOLDER }).filter((file) => !Object.hasOwn(pages, file.replaceAll('\\', '/')))
}
