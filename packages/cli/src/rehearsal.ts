import type { AgentDefinition, ModelReference, Part, SecretRegistry, StartOptions } from '@holdfast/runtime'
import { isRuntimeError } from './failure.ts'
import { loadRuntime } from './libraries.ts'
import type { WorkspaceOptions } from './workspace.ts'

/** What a start would come to. */
export interface Rehearsal {
  /** The first message as the agent would read it. */
  readonly first: readonly Part[]
  /** Names of the secrets that stood in what was given. */
  readonly redacted: readonly string[]
}

/**
 * Starts a run in a store that is thrown away, without driving it: whatever is wrong with the definition, the variables, the prompt, the
 * tools or the model is found before anything is written. Throws as `start` and the model resolver do.
 */
export async function rehearse(
  agent: AgentDefinition,
  start: StartOptions,
  drives: NonNullable<WorkspaceOptions['drives']>,
  { secrets }: { readonly secrets: SecretRegistry }
): Promise<Rehearsal> {
  const { createRuntime, memoryStore } = await loadRuntime()
  await using store = memoryStore()
  await using runtime = createRuntime({ store, ...drives.code, models: drives.models, secrets, concurrency: 0 })
  const { definition } = await runtime.publish(agent)
  const { thread, redacted = [] } = await runtime.start(agent, start)
  await requireModel(agent, definition.model, drives)
  const [first] = await store.pending(thread)
  // The item of a start is the runtime's own.
  return { first: (first?.body as unknown as { readonly parts: readonly Part[] } | undefined)?.parts ?? [], redacted }
}

/** Throws as the model resolver does, with the place in the manifest that names the model. */
async function requireModel(agent: AgentDefinition, model: ModelReference, drives: NonNullable<WorkspaceOptions['drives']>): Promise<void> {
  try {
    await drives.models(model)
  } catch (error) {
    if (!isRuntimeError(error)) throw error
    const { toPlacedError } = await loadRuntime()
    const ofProvider = error.code === 'model_unknown' || 'variable' in error.details
    throw toPlacedError(error, agent, ['model', 'ref' in model ? 'ref' : ofProvider ? 'provider' : 'model'])
  }
}
