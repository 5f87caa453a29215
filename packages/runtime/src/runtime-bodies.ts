import type { SpillingAppend } from './artifacts/spilling-append.ts'
import { createSpillingAppend } from './artifacts/spilling-append.ts'
import { loadPage, spillBodies } from './artifacts/spilled-bodies.ts'
import type { RuntimeOptions } from './contracts/api.ts'
import type { ArtifactStore } from './contracts/artifact.ts'
import type { Commit, Fact } from './contracts/fact.ts'
import { artifactsOf } from './contracts/fact-bodies.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { AppendRequest } from './contracts/store.ts'
import type { EngineStore } from './engine/engine-options.ts'

/** A runtime's way to the log, on which large bodies become artifacts and are read back. */
export interface RuntimeBodies extends Pick<SpillingAppend, 'kept'> {
  readonly artifacts: ArtifactStore
  /** What the engine writes to. */
  readonly store: EngineStore
  /** Puts large bodies elsewhere, and what the facts name already once more, so that it is not collected before a commit names it. */
  keep(tenant: string, facts: readonly Fact[]): Promise<Pick<AppendRequest, 'facts' | 'artifacts'>>
  /** The commits of a page, as many as weigh about that much when they are whole. Throws as `readWhole` does. */
  load(page: readonly Commit[], limitBytes: number): Promise<readonly Commit[]>
  /** A page of the log with all bodies inline. Throws `artifact_missing`, `artifact_corrupt` (details: `digest`, `thread`, `sequence`). */
  readWhole(thread: ThreadId, from: number, limitBytes: number): Promise<readonly Commit[]>
}

/** Puts the store of artifacts before the store. */
export function createRuntimeBodies({ store, artifacts = store.artifacts }: Pick<RuntimeOptions, 'store' | 'artifacts'>): RuntimeBodies {
  const { append, kept } = createSpillingAppend(store, artifacts)
  return {
    artifacts,
    kept,
    store: {
      append,
      beat: (worker, leaseMs, mine) => store.beat(worker, leaseMs, mine),
      claim: (request) => store.claim(request),
      hint: (listener) => store.hint(listener),
      pending: (thread) => store.pending(thread),
      thread: (id) => store.thread(id)
    },
    async keep(tenant, facts) {
      const named = artifactsOf(facts)
      for (const digest of named) await artifacts.put(tenant, await artifacts.get(tenant, digest))
      return spillBodies({ tenant, facts, artifacts: named }, artifacts)
    },
    load: (page, limitBytes) => loadPage(page, limitBytes, artifacts),
    readWhole: async (thread, from, limitBytes) => loadPage(await store.read(thread, from, limitBytes), limitBytes, artifacts)
  }
}
