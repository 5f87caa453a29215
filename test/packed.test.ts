// What a user gets: the three packages packed, installed from their tarballs into an empty folder, and the README's program run there.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['runtime', 'config', 'cli']
const INSTALL_MS = 300_000
const COMPILER = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--lib',
  'es2024,esnext.disposable,dom',
  '--types',
  ''
]

// It asks the package registry for the dependencies; elsewhere than in CI that is opted into.
const required = process.env['HOLDFAST_REQUIRE'] === 'all'

describe.skipIf(!required)('packed and installed in an empty folder (needs the package registry: HOLDFAST_REQUIRE=all)', () => {
  let folder = ''
  let tarballs: { readonly [name: string]: string } = {}

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-packed-'))
    npm(ROOT, 'run', 'build')
    tarballs = Object.fromEntries(PACKAGES.map((name) => [name, pack(name, folder)]))
  }, INSTALL_MS)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('runs the program of the README and the command', { timeout: INSTALL_MS }, () => {
    const home = emptyFolder(folder, 'all')
    npm(home, 'install', ...Object.values(tarballs))
    writeFileSync(join(home, 'program.ts'), programOf('README.md'))
    expect(run(home, join(ROOT, 'node_modules/.bin/tsc'), ...COMPILER, 'program.ts')).toBe('')
    expect(run(home, process.execPath, 'program.ts')).toContain('completed')
    expect(run(home, 'npx', '--no-install', 'holdfast', '--help')).toContain('Usage: holdfast')
    run(home, 'npx', '--no-install', 'holdfast', 'init', 'first')
    // What the project would install is there already, above it.
    const first = join(home, 'first')
    expect(run(first, process.execPath, '../node_modules/holdfast/bin/holdfast.js', 'run', 'agent.yaml')).toContain('summary.md')
    expect(run(first, process.execPath, '--test', '--test-reporter=tap')).toContain('# pass 1')
  })

  test('installs fewer than 25 packages and less than 30 MB with the runtime', { timeout: INSTALL_MS }, () => {
    const home = emptyFolder(folder, 'runtime')
    npm(home, 'install', tarballs['runtime'] ?? '')
    const files = filesOf(home)
    expect(installed(home)).toContain('@holdfast/runtime')
    expect(installed(home).length).toBeLessThan(25)
    expect(files.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(30_000_000)
  })

  test('packs the build and the sources, and nothing of the workshop', () => {
    for (const name of PACKAGES) {
      const list = execFileSync('tar', ['-tzf', tarballs[name] ?? ''], { encoding: 'utf8' })
        .trim()
        .split('\n')
      const folders = new Set(list.map((path) => path.split('/')[1]))
      const known = ['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'src', ...(name === 'cli' ? ['templates'] : [])]
      expect([...folders].filter((entry) => !known.includes(entry ?? ''))).toEqual([])
      expect(list).toContain('package/LICENSE')
      const ours = list.filter((path) => !path.startsWith('package/templates/'))
      expect(ours.filter((path) => path.endsWith('.tsbuildinfo') || path.endsWith('.test.ts'))).toEqual([])
    }
  })
})

function pack(name: string, folder: string): string {
  const listing = npm(join(ROOT, 'packages', name), 'pack', '--json', '--pack-destination', folder)
  const [packed] = JSON.parse(listing) as readonly { readonly filename: string }[]
  return join(folder, basename(packed?.filename ?? ''))
}

/** The first TypeScript program of a document, so that the document cannot drift from what runs. */
function programOf(document: string): string {
  const program = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, document), 'utf8'))?.[1]
  if (program === undefined) throw new Error(`${document} has no TypeScript program`)
  return program
}

function emptyFolder(parent: string, name: string): string {
  const home = join(parent, name)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n')
  return home
}

/** Names of all packages below node_modules. */
function installed(home: string): readonly string[] {
  const lock = JSON.parse(readFileSync(join(home, 'node_modules/.package-lock.json'), 'utf8')) as { packages: { [path: string]: unknown } }
  return Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
}

function filesOf(home: string): readonly string[] {
  const listing = execFileSync('find', [join(home, 'node_modules'), '-type', 'f', '-print0'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  return listing.split('\0').filter((path) => path !== '')
}

function npm(cwd: string, ...args: readonly string[]): string {
  return run(cwd, 'npm', ...args)
}

/** Runs a program as a shell of the user would, without what the npm that runs this test has put into the environment. */
function run(cwd: string, program: string, ...args: readonly string[]): string {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/^npm_(package|lifecycle|command|execpath|config_local_prefix|node_execpath)|^INIT_CWD$|^NODE_OPTIONS$/.test(key)
  )
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const env = { ...Object.fromEntries(inherited), PATH }
  const result = spawnSync(program, args, { cwd, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 })
  if (result.status === 0) return result.stdout
  throw new Error(`${basename(program)} ${args.join(' ')} ended with ${result.status ?? result.signal}:\n${result.stdout}${result.stderr}`)
}
