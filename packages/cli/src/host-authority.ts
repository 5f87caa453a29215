import { dirname } from 'node:path'
import type { Config } from '@holdfast/config'
import type { EventSink, Grants, PermissionRule } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { toHostGrants } from './project-grants.ts'
import { createWaitSink } from './wait-sink.ts'

/** What the project of a command says about its threads: what they may do, and who is told that one waits. */
export interface HostAuthority {
  /** Absent: what the runtime grants that is told nothing. */
  readonly grants: Grants | undefined
  readonly permissions: readonly PermissionRule[]
  /** Who is told of waits; made for every workspace anew. */
  readonly notices?: () => EventSink & Disposable
}

/** Reads it from a configuration, with the context of that configuration. */
export async function readHostAuthority(config: Config, context: CommandContext): Promise<HostAuthority> {
  const { onWait, permissions = [], file } = config
  const folder = file === undefined ? context.io.cwd : dirname(file)
  return {
    grants: await toHostGrants(config),
    permissions,
    ...(onWait === undefined ? {} : { notices: () => createWaitSink(onWait, { folder, env: context.io.env, output: context.output }) })
  }
}
