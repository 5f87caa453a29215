import { resolve } from 'node:path'
import type { ThreadHandle } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { Failure, isRuntimeError } from './failure.ts'
import { createModels, loadAllTools, readConfiguration, readPrices } from './configuration.ts'
import { findConfigFile, findExistingStore } from './store-location.ts'
import { readMemo, toMemo, writeMemo } from './thread-memo.ts'
import { toVisibleLine } from './visible-text.ts'
import type { Workspace } from './workspace.ts'
import { openWorkspace } from './workspace.ts'

/** What a command may say about how a thread is driven; what it does not say is remembered from the thread's start. */
export interface DriveOptions {
  readonly tools?: string
  readonly config?: string
}

/** Opens the store with all that an existing thread needs to be driven here. Throws `thread_not_found`. */
export async function openThread(
  id: string,
  context: CommandContext,
  options: DriveOptions
): Promise<{ readonly workspace: Workspace; readonly thread: ThreadHandle }> {
  const { io, secrets } = context
  const { cwd, env } = io
  const here = options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config)
  const found = await readConfiguration(here)
  const location = findExistingStore({ named: context.options.store, config: found, cwd, env })
  const known = readMemo(location, id)
  const file = options.config === undefined ? (known?.config ?? here) : here
  const tools = options.tools === undefined ? known?.tools : resolve(cwd, options.tools)
  const config = file === here ? found : await readConfiguration(file)
  const base = known?.base ?? cwd
  await secrets.register(config)
  enterFolder(known?.cwd, context)
  const workspace = await openWorkspace(context, location, {
    drives: {
      tools: await loadAllTools(config, tools),
      models: await createModels(config, { base, io, secrets }),
      prices: await readPrices(config),
      engine: config.engine
    }
  })
  const thread = workspace.runtime.thread(id)
  try {
    await thread.info()
    // What was said explicitly holds from now on.
    if (options.tools !== undefined || options.config !== undefined)
      writeMemo(location, id, toMemo(base, { ...known, config: file, tools }))
  } catch (error) {
    await workspace[Symbol.asyncDispose]()
    throw error
  }
  if (known === undefined && tools === undefined) {
    context.output.progress(`Nothing is remembered of how ${id} was started: --tools FILE and --config FILE say what it needs.`)
  }
  return { workspace, thread }
}

/** Tools find what they found when the thread was started, wherever it is driven from. */
function enterFolder(folder: string | undefined, { io, output }: CommandContext): void {
  if (folder === undefined || folder === io.cwd || io.enter === undefined) return
  try {
    io.enter(folder)
    output.progress(`working in ${toVisibleLine(folder, 1000)}, where the thread was started`)
  } catch {
    output.notice(`warning: the folder ${toVisibleLine(folder, 1000)}, where the thread was started, is gone: tools work in ${io.cwd}`)
  }
}

/** Adds to an error that says what is missing here how to pass it. */
export function explainMissing(error: unknown, again: string): unknown {
  if (!isRuntimeError(error) || error.code !== 'thread_unplaceable') return error
  return new Failure(error.code, error.message, {
    details: error.details,
    remedy: `Pass the module that has them: ${again} --tools FILE`,
    cause: error
  })
}
