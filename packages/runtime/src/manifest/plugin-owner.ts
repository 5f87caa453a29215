// Keeps I8: a tool of a plugin is shown of the thread's grants what its plugin declares, and nothing else.
import type { Grants } from '../contracts/grants.ts'
import type { Json } from '../contracts/json.ts'
import type { Tool, ToolContext } from '../contracts/tool.ts'
import { intersectGrants } from '../grants/intersect-grants.ts'
import type { ArgumentsValidator } from './tool-arguments.ts'

/** What all that a plugin keeps in a thread may weigh, as JSON. */
export const MAX_STATE_BYTES = 65_536

/** One value that a plugin keeps. */
export interface OwnedState {
  readonly initial: Json
  readonly check: ArgumentsValidator
}

/** The plugin that a tool or hook is of, as it was made for a definition. */
export interface PluginOwner {
  readonly name: string
  /** As it declares it. */
  readonly version?: string
  readonly state: ReadonlyMap<string, OwnedState>
}

const owners = new WeakMap<Tool, PluginOwner>()

/** The plugin of a tool; nothing for a tool of the host. */
export function ownerOf(tool: Pick<Tool, 'name'>): PluginOwner | undefined {
  return owners.get(tool as Tool)
}

/** The tool as it is given: of its plugin, and within its bounds. */
export function toOwnedTool(tool: Tool, owner: PluginOwner, bounds: Grants): Tool {
  const within = <Context extends Pick<ToolContext, 'grants'>>(context: Context): Context => ({
    ...context,
    grants: intersectGrants(context.grants, bounds)
  })
  const owned: Tool = {
    ...tool,
    execute: (input, context) => tool.execute(input, within(context)),
    ...(tool.reconcile === undefined ? {} : { reconcile: async (key, context) => reconcile(tool, key, within(context)) })
  }
  owners.set(owned, owner)
  return owned
}

async function reconcile(tool: Tool, ...[key, context]: Parameters<NonNullable<Tool['reconcile']>>) {
  return (await tool.reconcile?.(key, context)) ?? ({ state: 'unknown' } as const)
}
