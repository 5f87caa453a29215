// Holds I1 against a store: every row beside a log is what the log folds to.
import { isDeepStrictEqual } from 'node:util'
import type { ThreadCheck, ThreadProblem } from './contracts/thread-handle.ts'
import type { ErrorCode } from './contracts/errors.ts'
import { isHoldfastError } from './contracts/errors.ts'
import type { Commit } from './contracts/fact.ts'
import { artifactsOf } from './contracts/fact-bodies.ts'
import type { Digest, ThreadId } from './contracts/ids.ts'
import type { Publication } from './contracts/publication.ts'
import type { RunInfo } from './contracts/store.ts'
import type { RuntimeCore } from './runtime-core.ts'
import type { FoldedThread } from './state/thread-fold.ts'
import { bornWith, repinnedIn, ThreadFold } from './state/thread-fold.ts'
import type { StillThread } from './still-thread.ts'
import { readStill } from './still-thread.ts'
import { digestJson } from './util/canonical.ts'

const DAMAGE: ReadonlyMap<ErrorCode, ThreadProblem['what']> = new Map([
  ['log_corrupt', 'log'],
  ['format_unknown', 'log'],
  ['artifact_missing', 'artifacts'],
  ['artifact_corrupt', 'artifacts']
])
const MAX_ASKED = 1_000
const PAGE_BYTES = 4 * 1024 * 1024

/** Reads all that is kept of a thread and says what does not belong together. */
export async function verifyThread(core: RuntimeCore, thread: ThreadId): Promise<ThreadCheck> {
  const still = await readStill(core, thread)
  const { head } = still.info
  const problems: ThreadProblem[] = []
  const fold = await startFold(core, still, problems)
  const named = new Set<Digest>()
  for (let next = 1; next <= head; ) {
    const { commits, problem } = await readPage(core, thread, next, named)
    for (const commit of commits) if (commit.sequence <= head) await addCommit(core, fold, commit, problems)
    if (problem) problems.push(problem)
    next = problem?.sequence === undefined ? (commits.at(-1)?.sequence ?? head) + 1 : problem.sequence + 1
  }
  if (problems.length === 0 && fold) problems.push(...compare(still, fold.end(still.items)))
  const uncounted = await findUncounted(core, still.info, [...named])
  if (uncounted > 0) problems.push({ what: 'artifacts', message: `${uncounted} artifacts that the log names are not counted as used` })
  return { thread, head, problems }
}

async function startFold(core: RuntimeCore, { info }: StillThread, problems: ThreadProblem[]): Promise<ThreadFold | null> {
  const { commits } = await readPage(core, info.id, 1, new Set())
  const publication = await readPublication(core, bornWith(commits) ?? info.publication, problems)
  return publication && new ThreadFold(info.id, publication)
}

async function readPublication(core: RuntimeCore, digest: Digest, problems: ThreadProblem[]): Promise<Publication | null> {
  const publication = await core.store.publication(digest)
  if (publication && digestJson(publication.definition) === digest) return publication
  const what = publication ? 'does not match its digest' : 'is missing'
  problems.push({ what: 'publication', message: `the publication ${digest} ${what}` })
  return null
}

/** A page; one that cannot be read whole gives no commits and tells of the first that cannot. */
async function readPage(
  core: RuntimeCore,
  thread: ThreadId,
  from: number,
  named: Set<Digest>
): Promise<{ readonly commits: readonly Commit[]; readonly problem?: ThreadProblem }> {
  try {
    const page = await core.store.read(thread, from, PAGE_BYTES)
    for (const commit of page) for (const digest of artifactsOf(commit.facts)) named.add(digest)
    return { commits: await core.bodies.load(page, PAGE_BYTES) }
  } catch (error) {
    const what = isHoldfastError(error) ? DAMAGE.get(error.code) : undefined
    if (!isHoldfastError(error) || what === undefined) throw error
    const { sequence } = error.details
    return { commits: [], problem: { what, message: error.message, ...(typeof sequence === 'number' ? { sequence } : {}) } }
  }
}

/** How many of these would be collected, because the store does not know that the thread names them. */
async function findUncounted(core: RuntimeCore, { tenant, id }: StillThread['info'], named: readonly Digest[]): Promise<number> {
  let found = 0
  for (let from = 0; from < named.length; from += MAX_ASKED) {
    found += (await core.store.artifactUses(tenant, named.slice(from, from + MAX_ASKED), { thread: id })).length
  }
  return named.length - found
}

async function addCommit(core: RuntimeCore, fold: ThreadFold | null, commit: Commit, problems: ThreadProblem[]): Promise<void> {
  if (!fold || problems.length > 0) return
  for (const digest of repinnedIn(commit.facts)) {
    const publication = await readPublication(core, digest, problems)
    if (!publication) return
    fold.know(publication)
  }
  try {
    fold.add(commit)
  } catch (error) {
    const message = `commit ${commit.sequence} cannot be folded: ${error instanceof Error ? error.message : String(error)}`
    problems.push({ what: 'log', message, sequence: commit.sequence })
  }
}

function compare(still: StillThread, folded: FoldedThread): readonly ThreadProblem[] {
  return [
    ...compareThread(still, folded),
    ...compareRuns(still.runs, folded.runs),
    ...compareWaits(still, folded),
    ...compareItems(still, folded)
  ]
}

function compareThread({ info }: StillThread, folded: FoldedThread): readonly ThreadProblem[] {
  const problems: ThreadProblem[] = []
  if (folded.head !== info.head) problems.push({ what: 'log', message: `the log has ${folded.head} commits, the thread says ${info.head}` })
  if (folded.at !== info.at || folded.createdAt !== info.createdAt) problems.push(differs('row', ['at']))
  if (folded.publication !== info.publication) problems.push(differs('row', ['publication']))
  if (folded.attempt > info.attempt) problems.push(differs('row', ['attempt']))
  if (!isDeepStrictEqual(info.labels ?? {}, folded.labels)) problems.push(differs('row', ['labels']))
  const fields = new Set([...differingFields(info.row, folded.row), ...differingFields(folded.row, info.row)])
  return fields.size === 0 ? problems : [...problems, differs('row', [...fields])]
}

/** What the list says of a run that goes on is as old as its last rest. */
function compareRuns(kept: readonly RunInfo[], folded: readonly RunInfo[]): readonly ThreadProblem[] {
  if (kept.length !== folded.length) return [{ what: 'runs', message: `the log has ${folded.length} runs, the list ${kept.length}` }]
  return folded.flatMap((run) => {
    const found = kept.find((each) => each.run === run.run)
    const fields = differingFields(found ?? {}, run.endedIn === undefined ? { run: run.run, startedIn: run.startedIn } : run)
    return fields.length === 0 ? [] : [differs('runs', fields, run.run)]
  })
}

function compareWaits({ waits }: StillThread, folded: FoldedThread): readonly ThreadProblem[] {
  const wanted = new Map(folded.waits.filter((wait) => wait.state !== 'closed').map((wait) => [wait.id, wait]))
  const extra = waits.filter((wait) => !wanted.has(wait.id)).map((wait) => differs('waits', ['state'], wait.id))
  const missing = [...wanted.values()].flatMap((wait) => {
    const found = waits.find((each) => each.id === wait.id)
    const { state, kind, subject, digest, needed } = wait
    const fields = differingFields(found ?? {}, { state, kind, subject, digest, needed })
    return fields.length === 0 ? [] : [differs('waits', fields, wait.id)]
  })
  return [...extra, ...missing]
}

function compareItems({ items }: StillThread, { takenIn }: FoldedThread): readonly ThreadProblem[] {
  const known = new Set(items.map((item) => item.id))
  const lost = [...takenIn.keys()].filter((id) => !known.has(id)).map((id) => differs('items', ['id'], id))
  const wrong = items.filter((item) => takenIn.get(item.id) !== (item.state === 'consumed' ? item.takenIn : undefined))
  return [...lost, ...wrong.map((item) => differs('items', ['state'], item.id))]
}

function differingFields(kept: object, wanted: object): readonly string[] {
  const known = new Map(Object.entries(kept))
  return Object.entries(wanted).flatMap(([field, value]) => (isDeepStrictEqual(known.get(field), value) ? [] : [field]))
}

function differs(what: ThreadProblem['what'], fields: readonly string[], of?: string): ThreadProblem {
  const whose = of === undefined ? `the ${what}` : `${what}: ${of}`
  return { what, message: `${whose}: ${fields.join(', ')} is not what the log says` }
}
