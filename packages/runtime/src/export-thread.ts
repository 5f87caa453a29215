import { HoldfastError } from './contracts/errors.ts'
import type { Commit } from './contracts/fact.ts'
import type { Digest, ThreadId } from './contracts/ids.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { readStill } from './still-thread.ts'
import { bornWith, repinnedIn } from './state/thread-fold.ts'
import { toCommitLine, toHeaderLine, toItemLine, toPublicationLine } from './transfer/export-lines.ts'

const PAGE_BYTES = 4 * 1024 * 1024

/**
 * A thread as the lines of a JSONL file: a header, the commits, each publication before the first that pins it, the accepted items. The same
 * thread gives the same bytes.
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
  const tell = async function* (publications: readonly Digest[]): AsyncGenerator<string> {
    for (const digest of publications) {
      if (told.has(digest)) continue
      told.add(digest)
      yield toPublicationLine(await core.publication(digest))
    }
  }
  let last = 0
  while (last < info.head) {
    const page = await core.store.read(thread, last + 1, PAGE_BYTES)
    if (page.length === 0) throw new HoldfastError('thread_not_found', `the thread ${thread} was removed while it was exported`)
    for (const commit of page) {
      if (commit.sequence > info.head) break
      last = commit.sequence
      yield* tell(publicationsOf(commit))
      yield toCommitLine(commit)
    }
  }
  for (const item of items) yield toItemLine(item)
}

function publicationsOf(commit: Commit): readonly Digest[] {
  const born = commit.sequence === 1 ? bornWith([commit]) : null
  return [...(born === null ? [] : [born]), ...repinnedIn(commit.facts)]
}
