import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition, Definition, ModelReference } from '@holdfast/runtime'
import { toReferences } from './agent-tools.ts'
import { loadRuntime } from './libraries.ts'

/** The fields in which an agent's file differs from what a thread was started with, as far as a person would look for them. */
export async function findDifferences(file: AgentDefinition, started: Definition): Promise<readonly string[]> {
  const { toToolName } = await loadRuntime()
  const named = toReferences(file).map(toToolName)
  // What plugins add is not named in the file, unless it is to be stricter.
  const kept = started.tools.filter(({ identity, name }) => !identity.startsWith('plugin:') || named.includes(toToolName(name)))
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ['name', file.name, started.name],
    ['model', nameOf(file.model), nameOf(started.model)],
    ['systemPrompt', file.systemPrompt, started.systemPrompt],
    ['tools', named.toSorted(), kept.map(({ name }) => toToolName(name)).toSorted()],
    ['plugins', toPlugins(file.plugins), toPlugins(started.plugins)]
  ]
  return fields.filter(([, one, other]) => !isDeepStrictEqual(one, other)).map(([name]) => name)
}

function nameOf(model: ModelReference): string {
  return 'ref' in model ? model.ref : `${model.provider}/${model.model}`
}

function toPlugins(plugins: AgentDefinition['plugins'] = []) {
  return plugins.map((plugin) =>
    typeof plugin === 'string' ? { name: plugin, options: {} } : { name: plugin.name, options: plugin.options ?? {} }
  )
}
