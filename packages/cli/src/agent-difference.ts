import type { AgentDefinition, Definition, ModelReference } from '@holdfast/runtime'
import { toReferences } from './agent-tools.ts'
import { loadRuntime } from './libraries.ts'

/** The fields in which an agent's file differs from what a thread was started with, as far as a person would look for them. */
export async function findDifferences(file: AgentDefinition, started: Definition): Promise<readonly string[]> {
  const { toToolName } = await loadRuntime()
  const toolsOf = (names: readonly string[]): string => names.map(toToolName).toSorted().join()
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ['name', file.name, started.name],
    ['model', nameOf(file.model), nameOf(started.model)],
    ['systemPrompt', file.systemPrompt, started.systemPrompt],
    ['tools', toolsOf(toReferences(file)), toolsOf(started.tools.map(({ name }) => name))]
  ]
  return fields.filter(([, one, other]) => one !== other).map(([name]) => name)
}

function nameOf(model: ModelReference): string {
  return 'ref' in model ? model.ref : `${model.provider}/${model.model}`
}
