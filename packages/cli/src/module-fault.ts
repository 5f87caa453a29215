import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ModulePlace } from './module-place.ts'
import { findFrame, toText } from './module-place.ts'
import { findLocalPackages, toInstallLine } from './own-packages.ts'

/** Why a module could not be loaded. */
export interface ModuleFault {
  readonly message: string
  /** What is to be done, beside seeing it fail alone. */
  readonly remedy?: string
  /** Where in a file it is, when that is known: of the module itself, or of one that it imports. */
  readonly place?: ModulePlace
}

const CHECK_MS = 60_000
/** What Node says of a file that it reads as CommonJS, and that is none. */
const NO_COMMONJS =
  /^(?:Cannot use import statement outside a module|Unexpected token 'export'|Cannot use 'import\.meta' outside a module)$/

/** Says why a module could not be loaded, and where. */
export async function findModuleFault(path: string, cause: unknown): Promise<ModuleFault> {
  if (!(cause instanceof Error)) return { message: `throws ${toText(cause)}` }
  // What it throws is its own, and so may be how stacks are made.
  const stack = typeof cause.stack === 'string' ? cause.stack.split('\n') : []
  const message = toText(cause.message).replace(/\.$/, '')
  const place = findHead(stack) ?? (cause instanceof SyntaxError ? await checkSyntax(path, cause.message) : findFrame(stack))
  if (place === 'elsewhere') return { message: `${message}, in a module that it imports` }
  const found = place === undefined ? {} : { place }
  if (NO_COMMONJS.test(message)) return { message, ...found, remedy: toModuleRemedy(place?.file ?? path) }
  const missing = findMissing(cause)
  return { message, ...found, ...(missing === undefined ? {} : { remedy: toInstallRemedy(missing) }) }
}

/** The package that an import names and Node does not find. */
function findMissing({ message, ...cause }: Error & { readonly code?: unknown }): string | undefined {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND' && cause.code !== 'MODULE_NOT_FOUND') return undefined
  return /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec(toText(message))?.[1]
}

/** A package of ours may come from elsewhere than the registry. */
function toInstallRemedy(name: string): string {
  const local = /^(?:@holdfast\/|holdfast$)/.test(name) ? findLocalPackages() : []
  return `Install it in the project of the module, with \`${toInstallLine(local.length === 0 ? [name] : local)}\`.`
}

/** Above the stack of a syntax error stand its file, its line, and a caret below the column. */
function findHead(stack: readonly string[]): ModulePlace | undefined {
  const [, url, path, line] = /^(?:(file:\/\/\/.+)|(\/.+)):(\d+)$/.exec(stack[0] ?? '') ?? []
  if (line === undefined) return undefined
  const end = stack.findIndex((text) => /^\s+at /.test(text))
  const caret = stack.slice(1, end < 0 ? stack.length : end).find((text) => /^\s*\^+\s*$/.test(text))
  const file = url === undefined ? (path ?? '') : fileURLToPath(url)
  return { file, line: Number(line), ...(caret === undefined ? {} : { column: caret.indexOf('^') + 1 }) }
}

/** Node keeps the place of a syntax error to itself until it prints it: it is asked to look once more, without running anything. */
async function checkSyntax(path: string, message: string): Promise<ModulePlace | 'elsewhere' | undefined> {
  try {
    await promisify(execFile)(process.execPath, ['--check', path], { timeout: CHECK_MS })
    return 'elsewhere'
  } catch (error) {
    const told = error instanceof Error && 'stderr' in error ? String(error.stderr).split('\n') : []
    return told.includes(`SyntaxError: ${message}`) ? findHead(told) : undefined
  }
}

/** Its name or the package around it says what kind of module it is. */
function toModuleRemedy(file: string): string {
  const end = extname(file)
  const renamed = `${basename(file, end)}${end === '.ts' ? '.mts' : '.mjs'}`
  const manifest = findPackage(dirname(file))
  const write = manifest === undefined ? '' : `, or write "type": "module" into ${manifest}`
  return `Node reads it as CommonJS, and it is an ECMAScript module: rename it to ${renamed}${write}.`
}

function findPackage(folder: string): string | undefined {
  const path = join(folder, 'package.json')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : findPackage(dirname(folder))
}
