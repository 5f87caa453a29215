import { HoldfastError } from './contracts/errors.ts'
import type { Commit } from './contracts/fact.ts'
import { artifactsOf } from './contracts/fact-bodies.ts'
import type { Digest, ThreadId } from './contracts/ids.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { readStill } from './still-thread.ts'
import { bornWith, repinnedIn } from './state/thread-fold.ts'
import { toArtifactLine, toCommitLine, toHeaderLine, toItemLine, toPublicationLine } from './transfer/export-lines.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/**
 * A thread as the lines of a JSONL file: a header, the commits, each publication and artifact before the first that names it, the accepted items.
 * The same thread gives the same bytes.
 */
export async function* exportThread(core: RuntimeCore, thread: ThreadId): AsyncGenerator<string> {
  const { info, items } = await readStill(core, thread)
  if (info.root !== info.id) {
    throw new HoldfastError('invalid_input', `the thread ${thread} belongs to the tree of ${info.root} and cannot be exported alone`, {
      details: { thread, root: info.root }
    })
  }
  yield toHeaderLine(info, items.length)
  const told = new Set<Digest>()
  let last = 0
  while (last < info.head) {
    const page = await core.store.read(thread, last + 1, PAGE_BYTES)
    if (page.length === 0) throw new HoldfastError('thread_not_found', `the thread ${thread} was removed while it was exported`)
    for (const commit of page) {
      if (commit.sequence > info.head) break
      last = commit.sequence
      yield* namedLines(core, commit, told)
      yield toCommitLine(commit)
    }
  }
  for (const item of items) yield toItemLine(item)
}

/** What a commit is the first to name. */
async function* namedLines(core: RuntimeCore, commit: Commit, told: Set<Digest>): AsyncGenerator<string> {
  for (const digest of publicationsOf(commit)) {
    if (told.has(digest)) continue
    told.add(digest)
    yield toPublicationLine(await core.publication(digest))
  }
  for (const digest of artifactsOf(commit.facts)) {
    if (told.has(digest)) continue
    told.add(digest)
    yield toArtifactLine(digest, await core.bodies.artifacts.get(commit.tenant, digest))
  }
}

function publicationsOf(commit: Commit): readonly Digest[] {
  const born = commit.sequence === 1 ? bornWith([commit]) : null
  return [...(born === null ? [] : [born]), ...repinnedIn(commit.facts)]
}
