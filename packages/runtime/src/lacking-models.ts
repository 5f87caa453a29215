// Keeps I15: a run is not taken up by a worker that has none of its models. There it could only fail, for good, after its tools had run on.
import { HoldfastError, isHoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { ModelResolver } from './contracts/model.ts'
import type { Definition, ModelCandidate } from './contracts/publication.ts'
import type { Store } from './contracts/store.ts'
import { candidatesOf, toModelName } from './state/candidate.ts'

/**
 * What a worker lacks to ask any of a definition's models, as `needs` name it. Nothing as long as one of them is there: a model that is not known is
 * passed over for the next, and that is recorded. A resolver that is a mere function cannot be asked without making a model: it lacks nothing.
 */
function listLackingModels(models: ModelResolver, definition: Pick<Definition, 'model'>): readonly string[] {
  const candidates = candidatesOf(definition)
  return candidates.every((candidate) => isUnknown(models, candidate))
    ? [...new Set(candidates.map((each) => `model:${toModelName(each)}`))]
    : []
}

/** Throws `thread_unplaceable` (details: `missing`). */
export function assertPlaceable(thread: ThreadId, missing: readonly string[]): void {
  if (missing.length === 0) return
  throw new HoldfastError('thread_unplaceable', `the thread ${thread} cannot be driven here: this runtime lacks ${missing.join(', ')}`, {
    details: { missing }
  })
}

/** Throws `thread_unplaceable` when a thread lacks every model here, unless a cancel waits to be taken: that asks none. */
export async function assertModelsHere(
  { models, store }: { readonly models: ModelResolver; readonly store: Pick<Store, 'pending'> },
  thread: ThreadId,
  definition: Pick<Definition, 'model'>
): Promise<void> {
  const missing = listLackingModels(models, definition)
  if (missing.length === 0) return
  const items = await store.pending(thread)
  if (!items.some(({ kind }) => kind === 'cancel')) assertPlaceable(thread, missing)
}

function isUnknown(models: ModelResolver, candidate: ModelCandidate): boolean {
  try {
    // Looks each of them up, and loads nothing.
    models.fallbacksOf?.({ ...candidate, fallbacks: [candidate] })
    return false
  } catch (error) {
    return isHoldfastError(error) && error.code === 'model_unknown'
  }
}
