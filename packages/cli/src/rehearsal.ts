import type { AgentDefinition, Part, SecretRegistry, StartOptions } from '@holdfast/runtime'
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
  await drives.models(definition.model)
  const [first] = await store.pending(thread)
  // The item of a start is the runtime's own.
  return { first: (first?.body as unknown as { readonly parts: readonly Part[] } | undefined)?.parts ?? [], redacted }
}
