// Keeps I5, I8, I21: a fork is one import of a past that is not changed, under the tenant of its source, with what follows from the change.
import { assertKey } from './caller-key.ts'
import type { ForkHandle } from './contracts/thread-handle.ts'
import { HoldfastError } from './contracts/errors.ts'
import { assertKnownOptions } from './contracts/known-options.ts'
import type { Commit, FactOf } from './contracts/fact.ts'
import { FORMAT } from './contracts/fact.ts'
import type { ForkOptions } from './contracts/fork.ts'
import type { Digest, ThreadId } from './contracts/ids.ts'
import type { Json } from './contracts/json.ts'
import type { AcceptedItem, ImportedThread } from './contracts/store.ts'
import type { GivenChange } from './fork-change.ts'
import { readChange, toForkPublication, toNarrowed } from './fork-change.ts'
import type { CopiedPast } from './fork-place.ts'
import { readLater, readPast } from './fork-place.ts'
import { toBirthItem } from './birth-item.ts'
import { readCommits } from './folded-commits.ts'
import { assertModelsGranted } from './granted-models.ts'
import { FORK } from './option-names.ts'
import { assertOpen, readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { toForkFacts, toRepinFacts } from './state/fork-facts.ts'
import { toItem } from './inbox-delivery.ts'
import { createThreadHandle, toRunId } from './thread-handle.ts'
import { digestJson, digestText } from './util/canonical.ts'

/** Makes a thread with the past of another one. */
export async function forkThread(core: RuntimeCore, source: ThreadId, options: ForkOptions): Promise<ForkHandle> {
  assertOpen(core)
  assertKnownOptions('fork', options, FORK)
  assertKey('idempotencyKey', options.idempotencyKey)
  const info = await readInfo(core, source)
  if (info.root !== info.id) {
    throw new HoldfastError('invalid_input', `the thread ${source} belongs to the tree of ${info.root} and cannot be forked alone`, {
      details: { thread: source, root: info.root }
    })
  }
  const change = readChange(core, options)
  const key = options.idempotencyKey === undefined ? undefined : core.secrets.redact(options.idempotencyKey)
  // A key names its thread, so that two forks with one key make the same one.
  const id = `thr_${key === undefined ? core.ids.next(20) : digestJson([core.tenant, key]).slice(7, 27)}`
  const request = key === undefined ? undefined : digestJson([source, options.at ?? null, change.asked])
  const known = request === undefined ? null : await readKnown(core, id, request)
  if (known) return toHandle(core, id, known, { created: false, redacted: change.redacted })
  const past = await readPast(core, info, { as: id, at: options.at, results: change.results })
  const made = await toFork(core, source, past, change, { id, key, request })
  const state = await core.store.import(made)
  if (state === 'conflict') return await meetRival(core, id, request, change)
  const commit = await announce(core, id, made.commits.length)
  return toHandle(core, id, commit, { created: state === 'imported', redacted: change.redacted })
}

interface ForkName {
  readonly id: ThreadId
  readonly key: string | undefined
  readonly request: Digest | undefined
}

/** The fork as an import: the copied commits, one behind them, and the items that belong to them. */
async function toFork(
  core: RuntimeCore,
  source: ThreadId,
  { commits, fold }: CopiedPast,
  change: GivenChange,
  { id, key, request }: ForkName
): Promise<ImportedThread> {
  const last = commits.at(-1)
  if (!last) throw new HoldfastError('log_corrupt', `the thread ${source} has no commits`)
  const stamp = { sequence: last.sequence + 1, attempt: last.attempt, at: last.at }
  const past = await readLater(core, source, last.sequence)
  const first = toForkFacts(fold.state, past, { results: change.results, ...(request === undefined ? {} : { request }) })
  fold.add({ ...stamp, facts: first })
  const publication = await toForkPublication(core, fold.state, change)
  fold.know(publication)
  const narrowed = toNarrowed(fold.state.grants, publication)
  assertModelsGranted(core.grantsOf(narrowed ?? fold.state.grants), publication.definition)
  const { facts: then, ended } = toRepinFacts(fold.state, publication, narrowed)
  fold.add({ ...stamp, facts: then })
  const own = await core.bodies.keep(core.tenant, [...first, ...then])
  const copied = await core.bodies.keep(
    core.tenant,
    commits.flatMap((commit) => commit.facts)
  )
  const items = [
    ...(await toItems(core, source, last.sequence, { id, change })),
    ...toNext(core, id, { ended, change, hasBegun: fold.state.run !== null, at: last.at })
  ]
  const { row, runs, waits, timerAt } = fold.end(items)
  return {
    tenant: core.tenant,
    id,
    ...(key === undefined ? {} : { key }),
    root: id,
    path: '',
    publication,
    attempt: last.attempt,
    commits: [...commits, { ...stamp, worker: '', format: FORMAT, digest: digestText(JSON.stringify(own.facts)), facts: own.facts }],
    stampFrom: stamp.sequence,
    items,
    row,
    runs,
    waits,
    artifacts: [...new Set([...copied.artifacts, ...own.artifacts])],
    ...(timerAt === null ? {} : { timerAt })
  }
}

/** What the copied commits have consumed, so that a repeat is known as one; pending items stay with the other thread. */
async function toItems(
  core: RuntimeCore,
  source: ThreadId,
  at: number,
  { id, change }: { readonly id: ThreadId; readonly change: GivenChange }
): Promise<readonly AcceptedItem[]> {
  const [birth, ...others] = await core.store.items(source)
  if (!birth) throw new HoldfastError('thread_not_found', `the thread ${source} was removed while it was forked`)
  const isConsumed = (item: AcceptedItem): boolean => item.state === 'consumed' && item.takenIn <= at
  const first = isConsumed(birth) ? birth : await toBirthItem(core, source, birth, change.message)
  return [first, ...others.filter(isConsumed)].map((item) => ({ ...item, thread: id }))
}

/** What brings the fork on by itself: the message, or the run that takes the place of one that had to end. */
function toNext(
  core: RuntimeCore,
  id: ThreadId,
  {
    ended,
    change: { message },
    hasBegun,
    at
  }: { readonly ended: string | null; readonly change: GivenChange; readonly hasBegun: boolean; readonly at: number }
): readonly AcceptedItem[] {
  if (message !== null && hasBegun) {
    const item = `fork:${id}`
    const body = { run: toRunId(id, item), parts: message } as unknown as Json
    return [{ ...toItem(core, id, 'message', item, body), at, state: 'fresh', body }]
  }
  if (ended === null) return []
  const item = `retry:${ended}`
  const body = { run: toRunId(id, item), parts: [], retries: ended }
  return [{ ...toItem(core, id, 'start', item, body), at, state: 'fresh', body }]
}

/** Another thread came first under this id or key. */
async function meetRival(core: RuntimeCore, id: ThreadId, request: Digest | undefined, change: GivenChange): Promise<ForkHandle> {
  const known = request === undefined ? null : await readKnown(core, id, request)
  if (known) return toHandle(core, id, known, { created: false, redacted: change.redacted })
  throw otherContent(id)
}

/** The commit with which a fork begins that was made before by the same request, or null when there is no thread of this id. */
async function readKnown(core: RuntimeCore, id: ThreadId, request: Digest): Promise<Commit | null> {
  const info = await core.store.thread(id)
  if (!info) return null
  let found: Commit | null = null
  for await (const commit of readCommits(core, id, 1)) if (forkedIn(commit)) found = commit
  if (found && info.tenant === core.tenant && forkedIn(found)?.request === request) return found
  throw otherContent(id)
}

function otherContent(id: ThreadId): HoldfastError {
  return new HoldfastError('conflict', `the thread ${id} was made under this idempotency key with other content: use another key`, {
    details: { thread: id }
  })
}

function forkedIn({ facts }: Pick<Commit, 'facts'>): FactOf<'thread.forked'> | undefined {
  return facts.find((fact) => fact.type === 'thread.forked')
}

/** Sinks hear of the fork as of any commit that is made here. */
async function announce(core: RuntimeCore, id: ThreadId, sequence: number): Promise<Commit> {
  const [commit] = await core.store.read(id, sequence, 1)
  if (!commit) throw new HoldfastError('thread_not_found', `the thread ${id} was removed as soon as it was made`)
  core.hub.tell(commit)
  return commit
}

function toHandle(
  core: RuntimeCore,
  id: ThreadId,
  commit: Commit,
  { created, redacted }: { readonly created: boolean; readonly redacted: readonly string[] }
): ForkHandle {
  core.engine.wake(id)
  const forked = forkedIn(commit)
  const calls = commit.facts.flatMap((fact) => (fact.type === 'call.settled' ? [{ call: fact.call, outcome: fact.outcome }] : []))
  const { from = id, at = commit.sequence - 1, ran = [] } = forked ?? {}
  return {
    ...createThreadHandle(core, id),
    ...{ thread: id, from, at, created, calls, ran },
    ...(redacted.length === 0 ? {} : { redacted })
  }
}
