import { HoldfastError } from './contracts/errors.ts'
import type { Commit } from './contracts/fact.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { bornWith, repinnedIn, ThreadFold } from './state/thread-fold.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/** A commit as the store has it, and the fold after it. */
export interface FoldedCommit {
  readonly commit: Commit
  readonly fold: ThreadFold
}

/** Reads the log of a thread and folds it, commit by commit, as that of the thread itself or of another one. */
export async function* foldedCommits(
  core: RuntimeCore,
  thread: ThreadId,
  options: { readonly as?: ThreadId } = {}
): AsyncGenerator<FoldedCommit> {
  let fold: ThreadFold | null = null
  for (let next = 1; ; ) {
    const page = await core.store.read(thread, next, PAGE_BYTES)
    for (const [index, whole] of (await core.bodies.load(page, PAGE_BYTES)).entries()) {
      fold ??= await startFold(core, options.as ?? thread, whole)
      for (const digest of repinnedIn(whole.facts)) fold.know(await core.publication(digest))
      fold.add(whole)
      yield { commit: page[index] ?? whole, fold }
      next = whole.sequence + 1
    }
    if (page.length === 0) return
  }
}

/** The commits of a thread from a sequence on, page by page, with all bodies inline. */
export async function* readCommits(core: RuntimeCore, thread: ThreadId, from: number): AsyncGenerator<Commit> {
  for (let next = from; ; ) {
    const page = await core.bodies.readWhole(thread, next, PAGE_BYTES)
    yield* page
    const last = page.at(-1)
    if (!last) return
    next = last.sequence + 1
  }
}

/** The same as the store has them: of large bodies the digest and the beginning. */
export async function* readKeptCommits(core: RuntimeCore, thread: ThreadId): AsyncGenerator<Commit> {
  for (let next = 1; ; ) {
    const page = await core.store.read(thread, next, PAGE_BYTES)
    yield* page
    const last = page.at(-1)
    if (!last) return
    next = last.sequence + 1
  }
}

async function startFold(core: RuntimeCore, as: ThreadId, first: Commit): Promise<ThreadFold> {
  const digest = bornWith([first])
  if (digest === null) throw new HoldfastError('log_corrupt', `the log of ${first.thread} does not begin with its creation`)
  return new ThreadFold(as, await core.publication(digest))
}
