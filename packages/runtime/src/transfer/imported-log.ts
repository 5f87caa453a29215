// Keeps I3 (no fact names a run that is not under way) and I10 (an item is consumed by exactly one commit, whose facts name it) for logs that
// come from outside, as far as the store relies on them.
import { isHoldfastError } from '../contracts/errors.ts'
import type { Fact, FactOf } from '../contracts/fact.ts'
import { bodiesOf, replaceBodies } from '../contracts/fact-bodies.ts'
import type { Digest, RunId } from '../contracts/ids.ts'
import type { Body } from '../contracts/message.ts'
import type { Publication } from '../contracts/publication.ts'
import type { AcceptedItem, ImportedThread } from '../contracts/store.ts'
import type { FoldedThread } from '../state/thread-fold.ts'
import { ThreadFold } from '../state/thread-fold.ts'
import { fromBodyBytes } from '../util/body-bytes.ts'
import { findFactIssue } from './fact-shape.ts'
import type { ExportedCommit, ThreadExport } from './read-export.ts'
import { invalidExport, readExport } from './read-export.ts'

/** A thread to be imported, and what must be put before it. */
export interface ThreadImport {
  readonly thread: ImportedThread
  readonly publications: readonly Publication[]
  readonly artifacts: readonly Uint8Array[]
}

/**
 * Reads an export and makes its thread's rows anew from its log. Throws as `readExport` does, and `invalid_input` for a log that none of our
 * drivers has written.
 */
export async function readImportedThread(tenant: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<ThreadImport> {
  const given = await readExport(pieces).catch((error: unknown) => {
    throw error instanceof RangeError ? invalidExport('a value is nested too deep', undefined, error) : error
  })
  try {
    return { thread: toImportedThread(tenant, given), publications: given.publications, artifacts: [...given.artifacts.values()] }
  } catch (error) {
    throw isHoldfastError(error) ? error : invalidExport('its log cannot be read', undefined, error)
  }
}

function toImportedThread(tenant: string, given: ThreadExport): ImportedThread {
  const { header, commits, items } = given
  checkBirth(given)
  checkOrder(given)
  const { folded, publication } = fold(given)
  checkItems(items, folded)
  const { id, key, root, path, attempt } = header
  const foreign = folded.waits.find((wait) => !wait.id.startsWith(`${id}:`))
  if (foreign !== undefined) throw invalidExport(`the wait ${JSON.stringify(foreign.id)} belongs to another thread`)
  return {
    ...{ tenant, id, ...(key === undefined ? {} : { key }), root, path, publication, attempt, commits, items },
    row: folded.row,
    runs: folded.runs,
    waits: folded.waits,
    artifacts: [...given.artifacts.keys()],
    ...(folded.timerAt === null ? {} : { timerAt: folded.timerAt })
  }
}

function checkBirth({ header, publications: [publication], commits }: ThreadExport): void {
  const [created, ...rest] = commits.flatMap((commit) => commit.facts.filter((fact) => fact.type === 'thread.created'))
  if (created === undefined || rest.length > 0 || commits[0]?.facts[0] !== created) throw invalidExport('the log has not one beginning')
  // A fork was born as another thread.
  const isFork = commits.some((commit) => commit.facts.some((fact) => fact.type === 'thread.forked'))
  if (header.root !== header.id || (created.root !== header.id && !isFork) || created.parent !== undefined) {
    throw invalidExport('it is a thread below another one, which cannot be imported alone')
  }
  if (created.publication !== publication?.digest) throw invalidExport('the publication is not the one that the thread was made with')
}

function checkOrder({ header, commits }: ThreadExport): void {
  let last: Pick<ExportedCommit, 'sequence' | 'attempt' | 'at'> = { sequence: 0, attempt: 0, at: 0 }
  for (const commit of commits) {
    const { sequence, attempt, at } = commit
    if (sequence !== last.sequence + 1) throw invalidExport(`commit ${sequence} stands behind commit ${last.sequence}`)
    if (attempt < last.attempt || at < last.at) throw invalidExport(`commit ${sequence} is older than the one before it`)
    last = commit
  }
  if (header.attempt < last.attempt) throw invalidExport(`attempt ${last.attempt} has written, and the header says ${header.attempt}`)
}

function fold({ header, publications, commits, artifacts, items }: ThreadExport): {
  readonly folded: FoldedThread
  readonly publication: Publication
} {
  const [first] = publications
  if (first === undefined) throw invalidExport('there is no publication')
  const folded = new ThreadFold(header.id, first)
  for (const publication of publications) folded.know(publication)
  let run: RunId | null = null
  const seen = new Set<RunId>()
  for (const commit of commits) {
    const facts = commit.facts.map((fact) => toWhole(fact, artifacts))
    for (const fact of facts) run = followRun(fact, run, seen)
    folded.add({ ...commit, facts })
  }
  const { publication, definition } = folded.state
  return { folded: folded.end(items), publication: { digest: publication, definition } }
}

/** A fact with all its bodies inline. They come from outside like everything else. */
function toWhole(fact: Fact, artifacts: ReadonlyMap<Digest, Uint8Array>): Fact {
  const loaded = new Map<Body, Body>()
  for (const body of bodiesOf(fact)) {
    const bytes = 'artifact' in body ? artifacts.get(body.artifact) : undefined
    if (!('artifact' in body) || bytes === undefined) continue
    if (bytes.length !== body.bytes) throw invalidExport(`the artifact ${body.artifact} has not as many bytes as a commit says`)
    loaded.set(body, { inline: fromBodyBytes(bytes) })
  }
  if (loaded.size === 0) return fact
  const whole = replaceBodies(fact, loaded)
  const issue = findFactIssue(whole)
  if (issue !== null) throw invalidExport(`the artifact of a ${fact.type} is wrong: ${issue.path.map(String).join('.')}: ${issue.message}`)
  return whole
}

function followRun(fact: Fact, active: RunId | null, seen: Set<RunId>): RunId | null {
  if (fact.type === 'run.started') return startRun(fact, active, seen)
  if (fact.run !== undefined && fact.run !== active) throw invalidExport(`a fact names ${fact.run}, which is not under way`)
  return fact.type === 'run.ended' ? null : active
}

function startRun({ run }: FactOf<'run.started'>, active: RunId | null, seen: Set<RunId>): RunId {
  if (run === undefined || active !== null || seen.has(run)) throw invalidExport(`a run ${run ?? 'without a name'} starts where none can`)
  seen.add(run)
  return run
}

function checkItems(items: readonly AcceptedItem[], { head, takenIn, waits }: FoldedThread): void {
  const known = new Set(items.map((item) => item.id))
  if (known.size < items.length) throw invalidExport('an item stands twice')
  for (const id of takenIn.keys()) if (!known.has(id)) throw invalidExport(`the log names the item ${id}, which is not there`)
  const open = new Set(waits.flatMap((wait) => (wait.state === 'closed' ? [] : [wait.id])))
  for (const item of items) checkItem(item, head, takenIn.get(item.id), open)
}

function checkItem(item: AcceptedItem, head: number, takenIn: number | undefined, open: ReadonlySet<string>): void {
  const consumed = item.state === 'consumed' ? item.takenIn : undefined
  if (consumed !== takenIn || (consumed ?? 0) > head) throw invalidExport(`the log and the item ${item.id} do not tell the same`)
  if ((item.kind === 'decision') !== item.id.startsWith('decide:'))
    throw invalidExport(`the item ${item.id} is under a name that it cannot have`)
  if (item.kind !== 'decision' || item.state === 'consumed') return
  const wait = item.id.slice('decide:'.length)
  const { body } = item
  const names = typeof body === 'object' && body !== null && 'wait' in body ? body['wait'] : undefined
  if (names !== wait || !open.has(wait)) throw invalidExport(`the decision ${item.id} is about no open wait`)
}
