import { statSync } from 'node:fs'
import { extname } from 'node:path'
import type { Tool } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { loadModule } from './libraries.ts'

const EXTENSIONS: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs'])

/**
 * The tools that a module exports: its default export and its named ones, each a tool or a list of tools; other exports are left alone.
 *
 * Throws `file_not_found` and `invalid_tools`.
 */
export async function loadTools(path: string): Promise<readonly Tool<never>[]> {
  const exported = await loadExports(path)
  const tools = new Map<string, Tool<never>>()
  for (const tool of Object.values(exported).flat()) {
    if (!isTool(tool)) continue
    const known = tools.get(tool.name)
    if (known !== undefined && known !== tool) throw invalid(path, `two tools are called "${tool.name}"`, 'Give each tool its own name.')
    tools.set(tool.name, tool)
  }
  if (tools.size > 0) return [...tools.values()]
  const names = Object.keys(exported)
  const found = names.length === 0 ? 'nothing is exported' : `no tool is exported (exports: ${names.join(', ')})`
  throw invalid(path, found, 'Export what `defineTool({ … })` gives, alone or in a list.')
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
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    const install = isMissing ? 'Install what it imports in its own project, with `npm install`. ' : ''
    throw invalid(path, describeImportFailure(cause), `${install}See it fail alone with: node ${path}`, cause)
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

function describeImportFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return `throws ${String(cause)}`
  const place = placeOf(cause.stack?.split('\n') ?? [])
  return place === undefined ? cause.message : `${cause.message} (${place})`
}

/** A syntax error of TypeScript shows its line and a caret above the stack; what the module threw has its place in the first frame. */
function placeOf(stack: readonly string[]): string | undefined {
  const [first = '', , caret = ''] = stack
  if (/^\/.*:\d+$/.test(first) && caret.includes('^')) return `${first}:${caret.indexOf('^') + 1}`
  const frame = stack.find((line) => /^\s+at .*file:\/\/.*:\d+/.test(line))
  return frame?.replace(/^.*file:\/\/|\)$/g, '')
}

function isTool(value: unknown): value is Tool<never> {
  if (typeof value !== 'object' || value === null) return false
  return 'name' in value && typeof value.name === 'string' && 'input' in value && 'execute' in value && typeof value.execute === 'function'
}

function invalid(path: string, what: string, remedy: string, cause?: unknown): Failure {
  return new Failure('invalid_tools', `${path}: ${what}.`, { details: { path }, remedy, ...(cause === undefined ? {} : { cause }) })
}
