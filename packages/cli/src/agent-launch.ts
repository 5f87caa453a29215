import { dirname, resolve } from 'node:path'
import type { Json, Labels } from '@holdfast/runtime'
import type { AgentFile } from './agent-file.ts'
import { loadAgentFile } from './agent-file.ts'
import type { CommandContext } from './command-context.ts'
import { loadAgentCode, toToolNames } from './agent-tools.ts'
import { createModels, readPrices, readProject } from './configuration.ts'
import type { GrantOption } from './grant-option.ts'
import { toAbsolute, withGranted } from './grant-option.ts'
import type { HostAuthority } from './host-authority.ts'
import { readHostAuthority } from './host-authority.ts'
import type { StoreLocation } from './store-location.ts'
import { findConfigFile, findStore, lookForConfigFile, prepareFolder } from './store-location.ts'
import type { ThreadMemo } from './thread-memo.ts'
import { readMemo, toMemo, writeMemo } from './thread-memo.ts'
import { parseVariables } from './variables.ts'
import type { Durability, Workspace, WorkspaceOptions } from './workspace.ts'
import { openWorkspace } from './workspace.ts'
import { toVisibleLine } from './visible-text.ts'

/** What a command may say about how an agent of a file is started. */
export interface LaunchOptions {
  readonly var: readonly string[]
  readonly label?: Labels
  readonly model?: string
  readonly tools?: string
  readonly config?: string
  readonly durability?: Durability
  readonly grant?: readonly GrantOption[]
}

/** All that the start of an agent needs, read and checked; nothing is written yet. */
export interface Launch {
  readonly agent: AgentFile
  readonly variables: { readonly [key: string]: Json }
  readonly location: StoreLocation
  readonly host: HostAuthority
  readonly drives: NonNullable<WorkspaceOptions['drives']>
  /** What a thread that is started so is driven with in another process. */
  readonly memo: ThreadMemo
}

/** Reads the agent's file, the configuration, tools and models. Throws what each of them does. */
export async function prepareLaunch(context: CommandContext, file: string, options: LaunchOptions): Promise<Launch> {
  const { cwd } = context.io
  const manifest = resolve(cwd, file)
  const base = dirname(manifest)
  const configFile = options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config)
  if (configFile === undefined) tellUnused(lookForConfigFile(base), context)
  const tools = options.tools === undefined ? undefined : resolve(cwd, options.tools)
  const granted = toAbsolute(options.grant ?? [], cwd)
  const { config: read, context: known } = await readProject(context, configFile)
  const config = await withGranted(read, granted)
  const { io, secrets } = known
  await secrets.register(config, io.env)
  io.adopt?.(io.env)
  const agent = await loadAgentFile(manifest, { cwd, model: options.model })
  const variables = await parseVariables(options.var, agent.definition.variables ?? [], cwd)
  const location = findStore({ named: context.options.store, config, cwd, env: io.env })
  const { definition } = agent
  return {
    agent,
    variables,
    location,
    host: await readHostAuthority(config, known),
    drives: {
      code: await loadAgentCode({
        config,
        named: tools,
        ...toToolNames(definition),
        location,
        tell: (line) => context.output.progress(line)
      }),
      models: await createModels(config, { base, io, secrets }),
      prices: await readPrices(config),
      durability: options.durability,
      engine: config.engine
    },
    memo: toMemo(base, { cwd, manifest, config: configFile, tools }, granted)
  }
}

/** A configuration is that of the folder in which the command runs, not that of the agent. */
function tellUnused(file: string | undefined, { output }: CommandContext): void {
  if (file === undefined) return
  output.progress(`not used: ${toVisibleLine(file, 1000)}, for it is not of this folder. Run in its folder, or name it with --config.`)
}

/** Opens the store of a launch, and makes it when there is none. With `idle` nothing is driven here. */
export function openLaunch(context: CommandContext, launch: Launch, options: { readonly idle?: boolean } = {}): Promise<Workspace> {
  const { location, host, drives, memo } = launch
  prepareFolder(location)
  return openWorkspace(context, location, {
    host,
    drives: {
      ...drives,
      idle: options.idle === true,
      beforeCreate: (thread) => {
        if (readMemo(location, thread) === undefined) writeMemo(location, thread, memo)
      }
    }
  })
}
