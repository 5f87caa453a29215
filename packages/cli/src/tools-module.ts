import { statSync } from 'node:fs'
import { extname } from 'node:path'
import type { Hook, Plugin, RuntimeOptions, Tool } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { loadModule } from './libraries.ts'
import { findModuleFault } from './module-fault.ts'
import { toPlaceText } from './module-place.ts'
import { toShellWord } from './shell-word.ts'

const EXTENSIONS: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs'])

/** What modules of a host give to a runtime. */
export type ModuleCode = Required<Pick<RuntimeOptions, 'tools' | 'hooks' | 'registeredHooks' | 'plugins'>>

/** Nothing. */
export const NO_CODE: ModuleCode = { tools: [], hooks: [], registeredHooks: [], plugins: [] }

/**
 * What a module exports, each alone or in a list: tools, plugins and hooks that definitions may name, and under `hostHooks` hooks that look at every
 * thread; other exports are left alone.
 *
 * Throws `file_not_found`, `file_unreadable` and `invalid_tools`.
 */
export async function loadCode(path: string): Promise<ModuleCode> {
  const { hostHooks, ...exported } = await loadExports(path)
  const values = Object.values(exported).flat()
  const code: ModuleCode = {
    tools: withOwnNames(path, 'tools', values.filter(isTool)),
    plugins: withOwnNames(path, 'plugins', values.filter(isPlugin)),
    registeredHooks: withOwnNames(path, 'hooks', values.filter(isHook)),
    hooks: withOwnNames(path, 'hooks', [hostHooks ?? []].flat().filter(isHook))
  }
  if (Object.values(code).some((parts) => parts.length > 0)) return code
  const names = [...Object.keys(exported), ...(hostHooks === undefined ? [] : ['hostHooks'])]
  const found = names.length === 0 ? 'nothing is exported' : `no tool, plugin or hook is exported (exports: ${names.join(', ')})`
  throw invalid(path, found, 'Export what `defineTool({ … })` or `definePlugin({ … })` gives, alone or in a list.')
}

/** Each once; two of one name are refused. */
function withOwnNames<Part extends { readonly name: string }>(path: string, kind: string, parts: readonly Part[]): readonly Part[] {
  const known = new Map<string, Part>()
  for (const part of parts) {
    const other = known.get(part.name)
    if (other !== undefined && other !== part) throw invalid(path, `two ${kind} are called "${part.name}"`, 'Give each its own name.')
    known.set(part.name, part)
  }
  return [...known.values()]
}

async function loadExports(path: string): Promise<{ readonly [name: string]: unknown }> {
  const isFile = lookAt(path)
  if (isFile === undefined) {
    throw new Failure('file_not_found', `There is no tools module at ${path}.`, {
      details: { path },
      remedy: 'Name the module with --tools FILE.'
    })
  }
  if (!EXTENSIONS.has(extname(path))) {
    throw invalid(path, 'is no module', `Name a file that ends in ${[...EXTENSIONS].join(', ')}.`)
  }
  // A folder is no module, and a pipe is one that may never come.
  if (!isFile) throw new Failure('file_unreadable', `${path} is no file, and a module was expected.`, { details: { path } })
  try {
    const exported = await loadModule(path)
    return typeof exported === 'object' && exported !== null ? { ...exported } : {}
  } catch (cause) {
    const { message, place, remedy } = await findModuleFault(path, cause)
    const where = place === undefined ? '' : ` (${toPlaceText(place)})`
    const advice = [...(remedy === undefined ? [] : [remedy]), `See it fail alone with: node ${toShellWord(path)}`].join(' ')
    throw new Failure('invalid_tools', `${path}: ${message}${where}.`, { details: { path, ...place }, remedy: advice, cause })
  }
}

/** Whether something is a file; nothing when it is not there. */
function lookAt(path: string): boolean | undefined {
  try {
    return statSync(path).isFile()
  } catch {
    return undefined
  }
}

function isTool(value: unknown): value is Tool<never> {
  return isNamed(value) && 'input' in value && 'execute' in value && typeof value.execute === 'function'
}

function isPlugin(value: unknown): value is Plugin {
  return isNamed(value) && 'bounds' in value && 'create' in value && typeof value.create === 'function'
}

/** Whether it looks at something: `beforeToolCall`, `onCost`, … */
function isHook(value: unknown): value is Hook {
  if (!isNamed(value) || isTool(value) || isPlugin(value)) return false
  return Object.entries(value).some(([key, point]) => /^(?:before|after|on)[A-Z]/.test(key) && typeof point === 'function')
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
}

function invalid(path: string, what: string, remedy: string): Failure {
  return new Failure('invalid_tools', `${path}: ${what}.`, { details: { path }, remedy })
}
