import type { ArtifactStore } from '../contracts/artifact.ts'
import type { AppendRequest, Receipt, Store } from '../contracts/store.ts'
import { mayHaveLargeBody, spillBodies } from './spilled-bodies.ts'

/** Appends with large bodies put elsewhere first. */
export interface SpillingAppend {
  append(request: AppendRequest): Promise<Receipt>
  /** What an append kept of a request: the request itself where no body was large. */
  kept(request: AppendRequest): AppendRequest
}

/** The one place between what drives threads and the store where bodies become artifacts. */
export function createSpillingAppend(store: Pick<Store, 'append'>, artifacts: ArtifactStore): SpillingAppend {
  const kept = new WeakMap<AppendRequest, AppendRequest>()
  return {
    append: (request) => (mayHaveLargeBody(request) ? spill(request) : store.append(request)),
    kept: (request) => kept.get(request) ?? request
  }

  async function spill(request: AppendRequest): Promise<Receipt> {
    const spilled = await spillBodies(request, artifacts)
    if (spilled !== request) kept.set(request, spilled)
    return store.append(spilled)
  }
}
