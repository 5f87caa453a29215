import assert from 'node:assert/strict'
import type { Fact } from '../contracts/fact.ts'
import { FORMAT } from '../contracts/fact.ts'
import type { ItemId, Principal, ThreadId, WaitId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { Claim, ClaimRequest } from '../contracts/claim.ts'
import type { AppendRequest, NewItem, NewThread, Receipt, Store, ThreadRow } from '../contracts/store.ts'
import type { NewWait } from '../contracts/wait.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import { digestJson } from '../util/canonical.ts'
import type { FakeClock } from './fake-clock.ts'

/** What a case of the store suite is run against: a new, empty store, whose clock the case owns. */
export interface StoreSubject {
  readonly store: Store
  readonly clock: FakeClock
  /** Opens one more handle on the same data, when the store can. The case does not close it. */
  readonly open?: () => Promise<Store>
  /** Set when every call fails before and after its effect and is repeated: answers are then those of repeats. */
  readonly repeats?: boolean
}

/** One behaviour that every store has. */
export interface StoreCase {
  readonly name: string
  /** `handles`: only for stores that give several handles on the same data. */
  readonly needs?: 'handles'
  run(subject: StoreSubject, kit: StoreKit): Promise<void>
}

/** A thread owned by a worker, as a driver sees it. */
export interface Owner {
  readonly claim: Claim
  readonly sequence: number
  request(over?: Partial<AppendRequest>): AppendRequest
  /** Appends at the head that this owner knows and moves it when that succeeds. */
  append(over?: Partial<AppendRequest>): Promise<Receipt>
  /** Appends and lets the thread go, if the store does. */
  release(over?: Partial<AppendRequest>): Promise<Receipt>
}

/** Builders and the few steps that most cases share. */
export interface StoreKit {
  readonly lease: 10_000
  thread(over?: Partial<NewThread>): NewThread
  child(parent: NewThread, over?: Partial<NewThread>): NewThread
  item(thread: ThreadId, id: ItemId, over?: Partial<NewItem>): NewItem
  wait(thread: NewThread, name: string, over?: Partial<NewWait>): NewWait
  row(over?: Partial<ThreadRow>): ThreadRow
  /** Makes a thread in the store. */
  start(over?: Partial<NewThread>): Promise<NewThread>
  claim(worker: string, over?: Partial<ClaimRequest>, store?: Store): Promise<readonly Claim[]>
  /** The owner of a claim. */
  owner(claim: Claim, store?: Store): Owner
  /** Claims one thread and takes its first item. */
  own(thread: NewThread, worker?: string, store?: Store): Promise<Owner>
  /** Owns a thread as `own` does, without an append. */
  seize(thread: NewThread, worker?: string, over?: Partial<ClaimRequest>, store?: Store): Promise<Owner>
  /** The answer of a first call, or that of its repeat when the subject repeats every call. */
  first<Answer>(first: Answer, repeat: Answer): Answer
}

/** Somebody who decides. */
export function person(id: string): Principal {
  return { kind: 'person', id }
}

/** A fact that says nothing of interest. */
export function note(value: Json = null, over: Partial<Fact> = {}): Fact {
  return { v: 1, type: 'state.set', owner: 'suite', key: 'note', value: { inline: value }, ...over } as Fact
}

/** A fact that consumes an item. */
export function received(item: ItemId): Fact {
  return { v: 1, type: 'message.received', cause: item, source: person('ada'), parts: { inline: [{ type: 'text', text: item }] } }
}

/** The receipt of an append that must have succeeded. */
export function accepted(receipt: Receipt): Extract<Receipt, { ok: true }> {
  assert.ok(receipt.ok, `expected a receipt, got ${JSON.stringify(receipt)}`)
  return receipt
}

/** Why an append was refused, which it must have been. */
export function refusal(receipt: Receipt): Extract<Receipt, { ok: false }>['why'] {
  assert.ok(!receipt.ok, `expected a refusal, got ${JSON.stringify(receipt)}`)
  return receipt.why
}

/** A promise that must be rejected with an error of this code. */
export async function assertCode(promise: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(promise, (error: unknown) => error instanceof Error && 'code' in error && error.code === code)
}

/** Makes the kit of one case. */
export function createStoreKit(subject: StoreSubject): StoreKit {
  const build = createBuilders()
  const claim: StoreKit['claim'] = (worker, over = {}, store = subject.store) =>
    store.claim({ worker, leaseMs: 10_000, max: 100, not: [], can: { format: FORMAT, needs: [] }, ...over })
  const seize: StoreKit['seize'] = async (thread, worker = 'worker-1', over = {}, store = subject.store) => {
    const [found] = await claim(worker, { only: [thread.id], ...over }, store)
    assert.ok(found, `expected ${worker} to get thread ${thread.id}`)
    return createOwner(store, found, build.row())
  }
  return {
    ...build,
    lease: 10_000,
    owner: (found, store = subject.store) => createOwner(store, found, build.row()),
    claim,
    seize,
    async start(over) {
      const thread = build.thread(over)
      await subject.store.create(thread)
      return thread
    },
    async own(thread, worker, store) {
      const owner = await seize(thread, worker, {}, store)
      accepted(await owner.append({ facts: [received(thread.first.id)], consumed: [thread.first.id] }))
      return owner
    },
    first: (first, repeat) => (subject.repeats === true ? repeat : first)
  }
}

type Builders = Pick<StoreKit, 'thread' | 'child' | 'item' | 'wait' | 'row'>

function createBuilders(): Builders {
  let made = 0
  const row: Builders['row'] = (over) => ({ ...EMPTY_ROW, ...over })
  const item: Builders['item'] = (thread, id, over = {}) => {
    const body = over.body ?? { text: id }
    return { id, thread, kind: 'message', from: person('ada'), digest: digestJson({ kind: over.kind ?? 'message', body }), body, ...over }
  }
  const thread: Builders['thread'] = (over = {}) => {
    made += 1
    const id = over.id ?? `thr_${String(made).padStart(10, '0')}`
    const root = over.root ?? id
    const created: Fact = { v: 1, type: 'thread.created', publication: 'sha256:p', grants: null, rules: [], root, depth: 0 }
    return {
      tenant: 'default',
      id,
      root,
      path: '',
      created,
      first: item(id, `start:${id}`, { kind: 'start', body: null }),
      row: row(),
      ...over
    }
  }
  return {
    row,
    item,
    thread,
    child(parent, over = {}) {
      return thread({ root: parent.root, tenant: parent.tenant, id: `${parent.id}.${made}`, path: 'child', ...over })
    },
    wait(owner, name, over = {}) {
      const id: WaitId = `${owner.id}:${name}:approval:1`
      return {
        id,
        thread: owner.id,
        root: owner.root,
        path: owner.path,
        kind: 'approval',
        subject: { name },
        digest: `sha256:${name}`,
        needed: 1,
        ...over
      }
    }
  }
}

const EMPTY_ROW: ThreadRow = {
  status: 'queued',
  agent: 'agent',
  needs: [],
  turns: 0,
  usage: NO_USAGE,
  cost: 0,
  runUsage: NO_USAGE,
  runCost: 0
}

function createOwner(store: Store, claim: Claim, row: ThreadRow): Owner {
  let sequence = claim.sequence
  const request: Owner['request'] = (over) => ({
    tenant: claim.tenant,
    thread: claim.thread,
    attempt: claim.attempt,
    expectedSequence: sequence,
    facts: [note()],
    consumed: [],
    deferred: [],
    send: [],
    spawn: [],
    open: [],
    close: [],
    artifacts: [],
    row,
    timer: null,
    progress: false,
    sync: 'now',
    then: 'keep',
    ...over
  })
  const append: Owner['append'] = async (over) => {
    const receipt = await store.append(request(over))
    if (receipt.ok) sequence = receipt.sequence
    return receipt
  }
  return {
    claim,
    get sequence() {
      return sequence
    },
    request,
    append,
    release: (over) => append({ ...over, then: 'release' })
  }
}
