import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Packs a package of the repository into a folder. */
export function pack(name: string, folder: string): string {
  const listing = npm(join(ROOT, 'packages', name), 'pack', '--json', '--pack-destination', folder)
  const [packed] = JSON.parse(listing) as readonly { readonly filename: string }[]
  return join(folder, basename(packed?.filename ?? ''))
}

/** An empty folder that npm takes for a project. */
export function emptyFolder(parent: string, name: string): string {
  const home = join(parent, name)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n')
  return home
}

/** Runs npm as a shell of the user would. */
export function npm(cwd: string, ...args: readonly string[]): string {
  return run(cwd, 'npm', ...args)
}

/** Runs a program as a shell of the user would. Throws what it said when it fails. */
export function run(cwd: string, program: string, ...args: readonly string[]): string {
  const result = spawnSync(program, args, { cwd, encoding: 'utf8', env: userEnv(), stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 })
  if (result.status === 0) return result.stdout
  throw new Error(`${basename(program)} ${args.join(' ')} ended with ${result.status ?? result.signal}:\n${result.stdout}${result.stderr}`)
}

/** The environment without what the npm and the test runner of this process have put into it. */
export function userEnv(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/^npm_(package|lifecycle|command|execpath|config_local_prefix|node_execpath)|^INIT_CWD$|^NODE_OPTIONS$/.test(key)
  )
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(inherited), PATH }
}
