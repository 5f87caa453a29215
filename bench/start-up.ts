import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from './figures.ts'
import { median, round } from './figures.ts'

const ROOT = join(import.meta.dirname, '..')
const REPEATS = 9

/** How much longer a process lives that imports the built package than one that does nothing. Needs `npm run build`. */
export function measureImport(): Figure {
  if (!existsSync(join(ROOT, 'packages/runtime/dist/index.js'))) throw new Error('the packages are not built: npm run build')
  const empty: number[] = []
  const full: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    empty.push(timeNode(['--input-type=module', '--eval', '']))
    full.push(timeNode(['--input-type=module', '--eval', `import '@holdfast/runtime'`]))
  }
  return { measure: 'import', ms: round(median(full) - median(empty)), emptyMs: round(median(empty)) }
}

/** How long `holdfast --help` takes. */
export function measureHelp(): Figure {
  const times = Array.from({ length: 5 }, () => timeNode([join(ROOT, 'packages/cli/bin/holdfast.js'), '--help']))
  return { measure: 'help', ms: round(median(times)) }
}

/** What `npm install @holdfast/runtime` brings: its packages and their size. Asks the registry for the dependencies. */
export function measureInstall(): Figure {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-install-'))
  try {
    const packed = execFileSync(
      'npm',
      ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, '--workspace', 'packages/runtime'],
      {
        cwd: ROOT,
        encoding: 'utf8'
      }
    )
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', join(folder, packed.trim())], { cwd: folder })
    const modules = join(folder, 'node_modules')
    return { measure: 'install', packages: packagesIn(modules).length, mb: round(bytesIn(modules) / 1_048_576) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function timeNode(args: readonly string[]): number {
  const since = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } })
  const durationMs = performance.now() - since
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed:\n${stderr}`)
  return durationMs
}

function packagesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name]))
}

function bytesIn(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  }
  return bytes
}
