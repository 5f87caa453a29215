import type { Claim } from './contracts/claim.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { Commit } from './contracts/fact.ts'
import type { Grants } from './contracts/grants.ts'
import type { ThreadId } from './contracts/ids.ts'
import { assertModelsGranted } from './granted-models.ts'
import type { PublicationCache } from './publication-cache.ts'
import type { RuntimeBodies } from './runtime-bodies.ts'
import { evolve } from './state/evolve.ts'
import type { State } from './state/state.ts'
import { emptyState } from './state/state.ts'
import { bornWith, repinnedIn } from './state/thread-fold.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/** A thread as its log says. */
export interface Folded {
  readonly state: State
  readonly head: number
}

/**
 * Folds the log of a claimed thread. One whose grants cannot be read or hold not its models, or whose plugins are not here as they were published, does not
 * run: `grants_unreadable`, `model_not_granted`, `plugin_changed`.
 */
export async function loadThread(
  bodies: RuntimeBodies,
  publications: PublicationCache,
  claim: Claim,
  grantsOf: (record: unknown) => Grants
): Promise<Folded> {
  const loaded = await foldThread(bodies, publications, claim.thread, claim)
  assertModelsGranted(grantsOf(loaded.state.grants), loaded.state.definition)
  // Whatever runs finds its code.
  if (loaded.state.definition.plugins !== undefined) await publications.prepared(loaded.state.publication)
  return loaded
}

/** Folds a thread's log, page by page. With a claim, only up to the head that was claimed. */
export async function foldThread(
  bodies: RuntimeBodies,
  publications: PublicationCache,
  thread: ThreadId,
  claim: Claim | null
): Promise<Folded> {
  let state: State | null = null
  let head = 0
  for (;;) {
    const page = await bodies.readWhole(thread, head + 1, PAGE_BYTES)
    for (const commit of page) {
      state ??= emptyState(thread, await publications.get(publicationOf(commit)))
      for (const digest of repinnedIn(commit.facts)) state.publications.set(digest, await publications.get(digest))
      foldCommit(state, commit)
      head = commit.sequence
    }
    if (page.length === 0 || (claim && head >= claim.sequence)) break
  }
  if (!state) throw new HoldfastError('thread_not_found', `there is no thread ${thread} in this store`)
  return { state, head }
}

function foldCommit(state: State, commit: Commit): void {
  const stamp = { at: commit.at, attempt: commit.attempt, sequence: commit.sequence }
  for (const fact of commit.facts) evolve(state, stamp, fact)
}

function publicationOf(commit: Commit): string {
  const publication = bornWith([commit])
  if (publication !== null) return publication
  throw new HoldfastError('log_corrupt', `the log of ${commit.thread} does not begin with its creation`)
}
