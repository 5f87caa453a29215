import type { AgentDefinition, RuntimeOptions } from '../src/contracts/api.ts'
import type { HoldfastError } from '../src/contracts/errors.ts'
import type { Plugin, PluginBounds, PluginParts } from '../src/contracts/plugin.ts'
import type { Publication } from '../src/contracts/publication.ts'
import { definePlugin } from '../src/define-plugin.ts'
import type { Problem } from '../src/manifest/problem.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { caller, runtimeOf } from './approval-kit.ts'
import { agentOf } from './runtime-kit.ts'

/** A plugin without options. */
export const pluginOf = (name: string, bounds: PluginBounds, parts: PluginParts): Plugin =>
  definePlugin({ name, bounds, create: () => parts })

/** Publishes an agent in a runtime of its own. */
export function publish(agent: Partial<AgentDefinition>, options: Partial<RuntimeOptions>): Promise<Publication> {
  return runtimeOf(memoryStore(), { models: { main: caller() }, ...options }).publish(agentOf(agent))
}

/** What is wrong with an agent that cannot be published. */
export async function problemsOf(agent: Partial<AgentDefinition>, options: Partial<RuntimeOptions>): Promise<readonly Problem[]> {
  const error = await publish(agent, options).then(
    () => null,
    (thrown: HoldfastError) => thrown
  )
  return (error?.details['problems'] ?? []) as unknown as readonly Problem[]
}
