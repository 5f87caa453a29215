import { dirname, resolve } from 'node:path'
import type { Definition, Grants, ModelResolver, ThreadHandle, ThreadInfo } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { Failure, isRuntimeError } from './failure.ts'
import type { AgentFile } from './agent-file.ts'
import type { AgentToolsSource } from './agent-tools.ts'
import { loadAgentCode, toToolNames } from './agent-tools.ts'
import { createModels, readPrices, readProject } from './configuration.ts'
import { withGranted } from './grant-option.ts'
import type { HostAuthority } from './host-authority.ts'
import { readHostAuthority } from './host-authority.ts'
import { loadRuntime } from './libraries.ts'
import { withStandIns } from './stand-in-tools.ts'
import type { StoreLocation } from './store-location.ts'
import { findConfigFile, findExistingStore } from './store-location.ts'
import type { ThreadMemo } from './thread-memo.ts'
import { readMemo, toMemo, writeMemo } from './thread-memo.ts'
import type { ModuleCode } from './tools-module.ts'
import { NO_CODE } from './tools-module.ts'
import { toVisibleLine } from './visible-text.ts'
import type { Workspace } from './workspace.ts'
import { openWorkspace } from './workspace.ts'

/** What a command may say about how a thread is driven; what it does not say is remembered from the thread's start. */
export interface DriveOptions {
  readonly tools?: string
  readonly config?: string
}

/** How an existing thread is opened. */
export interface OpenOptions extends DriveOptions {
  /** Looks at the thread before any code of the user is loaded; what it throws is the end. */
  readonly look?: (info: ThreadInfo) => Promise<void>
  /** The run is only to be ended: tools that are lost, and a module that cannot be loaded, are done without. */
  readonly onlyEnds?: boolean
  /** Another thread is to be made from it: what is said holds for that one. */
  readonly fork?: { readonly agent: AgentFile | undefined; readonly isIdle: boolean }
}

/** A thread with the store that it is in. */
export interface OpenedThread {
  readonly workspace: Workspace
  readonly thread: ThreadHandle
  /** What is relative in its definition is relative to this folder. */
  readonly base: string
}

/** Opens the store with all that an existing thread needs to be driven here. Throws `thread_not_found`. */
export async function openThread(id: string, context: CommandContext, options: OpenOptions): Promise<OpenedThread> {
  const { cwd } = context.io
  const here = options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config)
  const found = await readProject(context, here)
  const location = findExistingStore({ named: context.options.store, config: found.config, cwd, env: found.context.io.env })
  const isLenient = options.onlyEnds === true
  const memo = readMemo(location, id)
  const { info, definition, kept } = await readThread(id, context, { location, isLenient })
  await options.look?.(info)
  const file = options.config === undefined ? (memo?.config ?? here) : here
  const tools = options.tools === undefined ? memo?.tools : resolve(cwd, options.tools)
  const { config: read, context: known } = file === here ? found : await readProject(context, file)
  const config = await withGranted(read, memo?.granted ?? [])
  const { agent, isIdle = false } = options.fork ?? {}
  const base = agent === undefined ? (memo?.base ?? cwd) : dirname(agent.path)
  const next = toMemo(base, { ...memo, config: file, tools, ...(agent === undefined ? {} : { manifest: agent.path }) }, memo?.granted)
  const { io, secrets } = known
  await secrets.register(config, io.env)
  io.adopt?.(io.env)
  enterFolder(memo?.cwd, context)
  const workspace = await openWorkspace(context, location, {
    host: isLenient ? withAllModels(await readHostAuthority(config, known)) : await readHostAuthority(config, known),
    drives: {
      code: await loadCode({ config, named: tools, location, kept }, { info, definition, agent, isLenient }, context),
      models: toModels(await createModels(config, { base, io, secrets }), isLenient),
      prices: await readPrices(config),
      engine: config.engine,
      idle: isIdle,
      ...(options.fork === undefined ? {} : { beforeCreate: (made) => keepMemo(location, made, next) })
    }
  })
  if (isSaid(options)) writeMemo(location, id, next)
  if (memo === undefined && tools === undefined) {
    context.output.progress(`Nothing is remembered of how ${id} was started: --tools FILE and --config FILE say what it needs.`)
  }
  return { workspace, thread: workspace.runtime.thread(id), base }
}

/** A run is ended without a model: one that is granted no more does not keep it open. */
function withAllModels(host: HostAuthority): HostAuthority {
  return host.grants === undefined ? host : { ...host, grants: { ...host.grants, models: 'all' } }
}

/** Whether its models are there does not matter for a run that is only to be ended. */
function toModels(models: ModelResolver, isLenient: boolean): ModelResolver {
  return isLenient ? (reference) => models(reference) : models
}

/** What was said explicitly holds from now on. */
function isSaid({ fork, tools, config }: OpenOptions): boolean {
  return fork === undefined && (tools !== undefined || config !== undefined)
}

function keepMemo(location: StoreLocation, thread: string, memo: ThreadMemo): void {
  if (readMemo(location, thread) === undefined) writeMemo(location, thread, memo)
}

interface KnownThread {
  readonly info: ThreadInfo
  readonly definition: Definition
}

/** Throws `thread_not_found`, and `grants_unreadable` where it matters what the thread may do. */
async function readThread(
  id: string,
  context: CommandContext,
  { location, isLenient }: { readonly location: StoreLocation; readonly isLenient: boolean }
): Promise<KnownThread & { readonly kept: Grants }> {
  const { ALL_GRANTS, NO_GRANTS } = await loadRuntime()
  // What the record says, whoever drives it.
  await using workspace = await openWorkspace(context, location, { host: { grants: ALL_GRANTS, permissions: [] } })
  const thread = workspace.runtime.thread(id)
  const info = await thread.info()
  const { definition } = await thread.publication()
  const kept = isLenient ? await thread.grants().catch(() => NO_GRANTS) : await thread.grants()
  return { info, definition, kept }
}

async function loadCode(
  source: Pick<AgentToolsSource, 'config' | 'named' | 'location' | 'kept'>,
  { info, definition, agent, isLenient }: KnownThread & { readonly agent: AgentFile | undefined; readonly isLenient: boolean },
  { output }: CommandContext
): Promise<ModuleCode> {
  // What plugins give is not named in modules.
  const named = definition.tools.filter(({ identity }) => !identity.startsWith('plugin:')).map((tool) => tool.name)
  const asked = agent === undefined ? { references: named, grants: definition.grants } : toToolNames(agent.definition)
  const ended = { needs: info.row.needs, definition }
  try {
    const tell = (line: string): void => output.progress(line)
    const loaded = await loadAgentCode({ ...source, ...asked, tell, code: 'thread_unplaceable' })
    return isLenient ? withStandIns(loaded, ended) : loaded
  } catch (error) {
    if (!isLenient) throw error
    output.progress(`going on without its tools: ${toVisibleLine(error instanceof Error ? error.message : String(error), 500)}`)
    return withStandIns(NO_CODE, ended)
  }
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
  const { missing } = error.details
  const isModel = Array.isArray(missing) && missing.length > 0 && missing.every((need) => String(need).startsWith('model:'))
  return new Failure(error.code, error.message, {
    details: error.details,
    remedy: isModel ? `Pass the configuration that has it: ${again} --config FILE` : `Pass the module that has them: ${again} --tools FILE`,
    cause: error
  })
}
