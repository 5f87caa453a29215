// One transaction for all that is asked in one turn of the event loop, so that they share one sync to the disk. A thread that was alone in
// the last transaction is not kept waiting at all: nobody else is there to share with.
// A job decides before it writes: a HoldfastError from it is an answer and leaves nothing written, so no savepoint is needed.
// Any other error takes the whole transaction back; its jobs are then run one by one, so that only the guilty one fails.

import type { DatabaseSync } from 'node:sqlite'
import { isHoldfastError } from '../contracts/errors.ts'
import type { Ms } from '../contracts/ids.ts'
import { toRetryDelay } from './busy-retry.ts'
import { isBusy, newerStore, toStoreError } from './sqlite-errors.ts'

/** A synchronous part of a write transaction. `after` takes what may be done once it is committed; the job itself may run twice. */
export type Job<Result> = (after: (effect: () => void) => void) => Result

/** How a job is written. */
export interface JobOptions {
  /** On whose behalf it is done, where one follows the other. */
  readonly writer?: string
  /** Whether its sync to the disk may be left to a later transaction. Default false. */
  readonly mayLag?: boolean
}

/** The one way to write. */
export interface GroupCommit {
  run<Result>(job: Job<Result>, options?: JobOptions): Promise<Result>
  /** Resolves when all that was asked before is settled. */
  drain(): Promise<void>
}

/** What a group commit needs to know. */
export interface GroupCommitOptions {
  readonly path: string
  /** Whether transactions are synced to the disk, but for those in which every job may lag. */
  readonly syncs: boolean
  /** How long a job waits for other processes. */
  readonly busyTimeoutMs: Ms
  /** The schema that this program writes; a file that a newer program has changed meanwhile is not written any more. */
  readonly schemaVersion: number
}

/** How many jobs share a transaction: enough that its sync costs each of them little; all who wait hold in memory what they wait with. */
const MAX_JOBS = 128
/** How many transactions in a row do without a turn of the event loop, where timers and answers of others wait. */
const MAX_AT_ONCE = 8

const NO_OPTIONS: JobOptions = {}

class Asked {
  readonly job: Job<unknown>
  readonly writer: string | null
  readonly mayLag: boolean
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  /** Since when another process has been in the way. */
  busySince: Ms | null = null

  constructor(
    job: Job<unknown>,
    { writer, mayLag = false }: JobOptions,
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void
  ) {
    this.job = job
    this.writer = writer ?? null
    this.mayLag = mayLag
    this.resolve = resolve
    this.reject = reject
  }
}

type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown }

/** Makes the write queue of one connection. */
export function createGroupCommit(db: DatabaseSync, options: GroupCommitOptions): GroupCommit {
  const transact = createTransaction(db, options)
  let queue: Asked[] = []
  let isScheduled = false
  let isSettling = false
  let retries = 0
  /** Who was alone in the last transaction. */
  let alone: string | null = null
  let atOnce = 0
  let hasWritten = false

  function schedule(delayMs: Ms | null): void {
    isScheduled = true
    if (delayMs === null) setImmediate(flush)
    else setTimeout(flush, delayMs)
  }

  function flush(): void {
    isScheduled = false
    const batch = queue.length > MAX_JOBS ? queue.splice(0, MAX_JOBS) : queue
    if (batch === queue) queue = []
    alone = batch.length === 1 ? (batch[0]?.writer ?? null) : null
    settleAll(batch)
  }

  function settleAll(batch: readonly Asked[]): void {
    // What is asked for by an effect of this transaction waits its turn.
    isSettling = true
    settle(batch)
    isSettling = false
    if (queue.length > 0 && !isScheduled) schedule(null)
  }

  function settle(batch: readonly Asked[]): void {
    try {
      tell(batch, transact(batch))
      retries = 0
    } catch (error) {
      if (isBusy(error)) putBack(batch, error)
      else if (batch.length > 1) for (const asked of batch) settle([asked])
      else batch[0]?.reject(toStoreError(error, options.path))
    }
  }

  function putBack(batch: readonly Asked[], error: unknown): void {
    queue = [...batch.filter((asked) => isPatient(asked, error, options)), ...queue]
    retries += 1
    if (queue.length > 0 && !isScheduled) schedule(toRetryDelay(retries))
  }

  function enqueue(asked: Asked): void {
    if (isScheduled || isSettling) return void queue.push(asked)
    if (asked.writer === null || asked.writer !== alone || atOnce >= MAX_AT_ONCE) {
      atOnce = 0
      queue.push(asked)
      return schedule(null)
    }
    atOnce += 1
    settleAll([asked])
  }

  function run<Result>(job: Job<Result>, options: JobOptions = NO_OPTIONS): Promise<Result> {
    hasWritten = true
    return new Promise((resolve, reject) => enqueue(new Asked(job, options, resolve as (result: unknown) => void, reject)))
  }

  return {
    run,
    // Who only read waits for nobody who writes. Whoever asked for the earlier jobs has been told what failed.
    drain: () => (hasWritten ? run(() => {}).catch(() => {}) : Promise.resolve())
  }
}

/** Whether a job goes on waiting for the other process. If not, it is told so. */
function isPatient(asked: Asked, error: unknown, { path, busyTimeoutMs }: GroupCommitOptions): boolean {
  const now = performance.now()
  asked.busySince ??= now
  const isPatient = now - asked.busySince < busyTimeoutMs
  if (!isPatient) asked.reject(toStoreError(error, path))
  return isPatient
}

function tell(batch: readonly Asked[], outcomes: readonly Outcome[]): void {
  for (let index = 0; index < batch.length; index++) {
    const outcome = outcomes[index]
    if (outcome?.ok) batch[index]?.resolve(outcome.result)
    else batch[index]?.reject(outcome?.error)
  }
}

function createTransaction(db: DatabaseSync, options: GroupCommitOptions): (batch: readonly Asked[]) => readonly Outcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const version = db.prepare('PRAGMA user_version')
  const chooseSync = createSyncChoice(db)
  return (batch) => {
    if (options.syncs) chooseSync(batch.every((asked) => asked.mayLag))
    const effects: (() => void)[] = []
    const after = (effect: () => void) => {
      effects.push(effect)
    }
    begin.run()
    let outcomes: readonly Outcome[]
    try {
      const found = Number(version.get()?.['user_version'])
      if (found > options.schemaVersion) throw newerStore(options.path, found, options.schemaVersion)
      outcomes = batch.map((asked) => runJob(asked.job, after))
      commit.run()
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
    for (const effect of effects) effect()
    return outcomes
  }
}

/** Says, before a transaction, whether it is synced: a sync covers all that was written before it. */
function createSyncChoice(db: DatabaseSync): (mayLag: boolean) => void {
  let lags = false
  return (mayLag) => {
    if (lags === mayLag) return
    // Not prepared: SQLite does what the pragma says when it reads it.
    db.exec(mayLag ? 'PRAGMA synchronous = NORMAL' : 'PRAGMA synchronous = FULL')
    lags = mayLag
  }
}

function runJob(job: Job<unknown>, after: (effect: () => void) => void): Outcome {
  try {
    return { ok: true, result: job(after) }
  } catch (error) {
    if (isHoldfastError(error)) return { ok: false, error }
    throw error
  }
}
