import { NO_STATE } from '../src/effects/plugin-state.ts'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isHoldfastError } from '../src/contracts/errors.ts'
import type { Tool, ToolContext } from '../src/contracts/tool.ts'
import { ALL_GRANTS } from '../src/grants/intersect-grants.ts'
import { createEditFile } from '../src/tools/edit-file.ts'
import type { FileRootsOptions } from '../src/tools/file-roots.ts'
import { openFileRoots } from '../src/tools/file-roots.ts'
import { fileTools } from '../src/tools/file-tools.ts'
import { createListDirectory } from '../src/tools/list-directory.ts'
import { createReadFile } from '../src/tools/read-file.ts'
import { createSearchFiles } from '../src/tools/search-files.ts'
import { createWriteFile } from '../src/tools/write-file.ts'
import { folder } from './runtime-kit.ts'

type Arguments = { readonly [name: string]: unknown }

/** Calls file tools by name. */
export interface FileToolKit {
  call(name: string, input: Arguments, context?: Partial<ToolContext>): Promise<unknown>
  /** The same, where the result is an object. */
  ask(name: string, input: Arguments, context?: Partial<ToolContext>): Promise<{ readonly [field: string]: unknown }>
  /** What `read_file` says, in two: the heading and the text. */
  read(path: string, input?: Arguments): Promise<readonly [string, string]>
  /** Why a tool refuses. */
  refusal(name: string, input: Arguments, context?: Partial<ToolContext>): Promise<unknown>
}

/** The tools for some roots. `isPlain`: as on a system where open folders have no names. */
export function fileToolKit(options: FileRootsOptions, { isPlain = false } = {}): FileToolKit {
  const tools = isPlain ? plainTools(options) : fileTools(options)
  const call = async (name: string, input: Arguments, context: Partial<ToolContext> = {}) => {
    const tool = tools.find((each) => each.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    return tool.execute(input as never, { ...CONTEXT, ...context })
  }
  return {
    call,
    ask: async (name, input, context) => (await call(name, input, context)) as { readonly [field: string]: unknown },
    read: async (path, input = {}) => {
      const [heading = '', ...text] = String(await call('read_file', { path, ...input })).split('\n\n')
      return [heading, text.join('\n\n')]
    },
    refusal: (name, input, context) => reasonOf(call(name, input, context))
  }
}

function plainTools(options: FileRootsOptions): readonly Tool<never>[] {
  let opened: ReturnType<typeof openFileRoots> | undefined
  const openRoots = () => {
    opened ??= openFileRoots(options, { descriptors: '/nowhere' })
    return opened
  }
  return [createReadFile, createListDirectory, createSearchFiles, createWriteFile, createEditFile].map((create) => create(openRoots))
}

/** Why something was refused; throws when it was not. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    const value = await promise
    throw new Error(`this was not refused: ${JSON.stringify(value)}`)
  } catch (error) {
    if (isHoldfastError(error)) return error.details['reason']
    throw error
  }
}

/** A root and a folder beside it, both gone with the test; `inMemory`: where the system keeps files in memory, if it does. */
export async function twoFolders({ inMemory = false } = {}): Promise<{ readonly inside: string; readonly outside: string }> {
  const base = realpathSync(inMemory && existsSync(MEMORY) ? mkdtempSync(join(MEMORY, 'holdfast-')) : await folder())
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const inside = join(base, 'inside')
  const outside = join(base, 'outside')
  mkdirSync(inside)
  mkdirSync(outside)
  return { inside, outside }
}

const MEMORY = '/dev/shm'

const CONTEXT: ToolContext = {
  thread: 'thr_test',
  run: 'run_test',
  call: '1.1',
  idempotencyKey: 'thr_test:1.1',
  try: 1,
  leg: 1,
  grants: ALL_GRANTS,
  state: NO_STATE,
  signal: new AbortController().signal,
  deadline: 0,
  progress: () => {},
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
}
