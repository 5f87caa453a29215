import assert from 'node:assert/strict'
import type { Commit, Fact } from '../contracts/fact.ts'
import type { ImportedThread, NewThread, Store, ThreadInfo } from '../contracts/store.ts'
import type { WaitRow } from '../contracts/wait.ts'
import { digestText } from '../util/canonical.ts'
import type { StoreCase, StoreKit } from './store-kit.ts'
import { accepted, assertCode, note, person, received, refusal } from './store-kit.ts'

const ARTIFACT = `sha256:${'a'.repeat(64)}`

/** Threads that come from another store, and threads that go. */
export const transferCases: readonly StoreCase[] = [
  {
    name: 'lists every item that a thread has accepted, consumed ones without their body',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      await store.deliver([kit.item(thread.id, 'm1', { scope: 'a' }), kit.item(thread.id, 'm2')])
      accepted(await owner.append({ facts: [received('m1')], consumed: ['m1'], deferred: ['m2'] }))
      await store.deliver([kit.item(thread.id, 'm3')])
      const items = await store.items(thread.id)
      assert.deepEqual(
        items.map((item) => [item.id, item.state, item.state === 'consumed' ? item.takenIn : item.body]),
        [
          [thread.first.id, 'consumed', 2],
          ['m1', 'consumed', 3],
          ['m2', 'deferred', { text: 'm2' }],
          ['m3', 'fresh', { text: 'm3' }]
        ]
      )
      assert.deepEqual([items[0]?.digest, items[0]?.from, items[1]?.scope], [thread.first.digest, thread.first.from, 'a'])
      assert.deepEqual(await store.items('thr_none'), [])
    }
  },
  {
    name: 'imports what it has exported: the same log, inbox, waits and rows, behind all other positions',
    async run({ store, clock }, kit) {
      const { thread, wait } = await restingThread(store, kit)
      const given = await takeOut(store, thread)
      const before = await everything(store, thread)
      assert.equal(await store.remove(thread.id), kit.first('removed', 'unknown'))
      const other = await kit.own(await kit.start())
      await clock.advance(5000)
      assert.equal(await store.import(given), kit.first('imported', 'repeated'))
      assert.deepEqual(await everything(store, thread), before)
      assert.deepEqual(await store.artifactUses('default', [ARTIFACT]), [{ digest: ARTIFACT, threads: 1, thread: thread.id }])
      assert.deepEqual(await store.publication(given.publication.digest), given.publication)
      const positions = (await store.read(thread.id, 1, 1_000_000)).map((commit) => Number(commit.position))
      const [last] = (await store.read(other.claim.thread, other.sequence, 1)).map((commit) => Number(commit.position))
      assert.ok(positions.every((position) => position > (last ?? Infinity)))
      assert.deepEqual(await store.create(thread), { created: false, thread: thread.id })
      assert.deepEqual(await store.deliver([kit.item(thread.id, 'm1')]), ['repeated'])
      assert.equal((await store.decide(wait.id, 'no', person('ada'))).state, kit.first('accepted', 'repeated'))
    }
  },
  {
    name: 'hands an imported thread out at the next attempt, and refuses what its owner elsewhere still writes',
    async run({ store }, kit) {
      const { thread } = await restingThread(store, kit)
      const given = await takeOut(store, thread)
      await store.remove(thread.id)
      await store.import({ ...given, attempt: 7 })
      assert.deepEqual(await kit.claim('worker-2', { only: [thread.id] }), [])
      await store.deliver([kit.item(thread.id, 'new')])
      const owner = await kit.seize(thread, 'worker-2')
      assert.ok(owner.claim.attempt > 7)
      assert.equal(owner.claim.sequence, given.commits.length)
      assert.equal(refusal(await store.append(owner.request({ attempt: 7 }))), 'fenced')
      assert.equal(accepted(await owner.append()).sequence, given.commits.length + 1)
    }
  },
  {
    name: 'hands an imported thread out when its timer is due',
    async run({ store, clock }, kit) {
      const { thread } = await restingThread(store, kit)
      const given = await takeOut(store, thread)
      await store.remove(thread.id)
      await store.import({ ...given, timerAt: clock.now() + 1000 })
      assert.deepEqual(await kit.claim('worker-2'), [])
      await clock.advance(1000)
      assert.deepEqual(
        (await kit.claim('worker-2')).map((claim) => claim.thread),
        [thread.id]
      )
    }
  },
  {
    name: 'imports the same thread once, also when it has gone on since',
    async run({ store }, kit) {
      const { thread } = await restingThread(store, kit)
      const given = await takeOut(store, thread)
      assert.equal(await store.import(given), 'repeated')
      await store.deliver([kit.item(thread.id, 'new')])
      const owner = await kit.seize(thread, 'worker-2')
      accepted(await owner.append({ facts: [received('new')], consumed: ['new'] }))
      const before = await everything(store, thread)
      assert.equal(await store.import(given), 'repeated')
      assert.deepEqual(await everything(store, thread), before)
    }
  },
  {
    name: 'refuses to import over a thread with another log, another key, another tenant, or without one of the items',
    async run({ store }, kit) {
      const { thread } = await restingThread(store, kit)
      const given = await takeOut(store, thread)
      const before = await everything(store, thread)
      const last = given.commits.at(-1)
      assert.ok(last)
      const other: Fact[] = [note('other')]
      const changed = { ...last, facts: other, digest: digestText(JSON.stringify(other)) }
      const [first] = given.items
      assert.ok(first)
      const { key: _, ...keyless } = given
      const rivals: readonly ImportedThread[] = [
        { ...given, commits: [...given.commits.slice(0, -1), changed] },
        { ...given, commits: [...given.commits, { ...changed, sequence: last.sequence + 1 }] },
        { ...given, commits: [...given.commits.slice(0, -1), { ...last, at: last.at + 1 }] },
        { ...given, items: [...given.items, { ...first, id: 'never-seen' }] },
        keyless,
        { ...given, key: 'another' },
        { ...given, tenant: 'other' },
        { ...given, id: 'thr_another', root: 'thr_another', waits: [] }
      ]
      for (const rival of rivals) assert.equal(await store.import(rival), 'conflict')
      assert.deepEqual(await everything(store, thread), before)
      assert.equal(await store.thread('thr_another'), null)
    }
  },
  {
    name: 'refuses to import a commit that its digest is not of, and keeps nothing of it',
    async run({ store }, kit) {
      const { thread } = await restingThread(store, kit)
      const given = await takeOut(store, thread)
      await store.remove(thread.id)
      const commits = given.commits.map((commit) => (commit.sequence === 2 ? { ...commit, facts: [note('forged')] } : commit))
      await assertCode(store.import({ ...given, commits }), 'log_corrupt')
      await assertCode(store.import({ ...given, commits: given.commits.slice(1) }), 'invalid_input')
      await assertCode(store.import({ ...given, items: [] }), 'invalid_input')
      await assertCode(store.import({ ...given, commits: given.commits.toSpliced(1, 1) }), 'log_corrupt')
      assert.equal(await store.thread(thread.id), null)
    }
  },
  {
    name: 'removes a thread at rest with all that it had, once',
    async run({ store }, kit) {
      const kept = await restingThread(store, kit)
      const { thread, wait } = await restingThread(store, kit)
      const before = await everything(store, kept.thread)
      assert.equal(await store.remove(thread.id), kit.first('removed', 'unknown'))
      assert.equal(await store.remove(thread.id), 'unknown')
      assert.equal(await store.thread(thread.id), null)
      assert.equal(await store.wait(wait.id), null)
      assert.deepEqual(await store.items(thread.id), [])
      assert.deepEqual(await store.read(thread.id, 1, 1000), [])
      assert.deepEqual(await store.runs(thread.id), [])
      assert.deepEqual(await store.deliver([kit.item(thread.id, 'late')]), ['refused'])
      assert.deepEqual(await store.decide(wait.id, 'yes', person('ada')), { state: 'unknown' })
      assert.deepEqual(await everything(store, kept.thread), before)
      assert.deepEqual(
        (await store.threads({ tenant: 'default' })).items.map((info) => info.id),
        [kept.thread.id]
      )
      assert.deepEqual(await store.create(thread), { created: kit.first(true, false), thread: thread.id })
      assert.equal((await store.thread(thread.id))?.attempt, 0)
    }
  },
  {
    name: 'removes an unfinished thread when that is asked for and nobody lives who owns it, and nothing else',
    async run({ store, clock }, kit) {
      const left = await kit.start({ key: 'order-1' })
      const owner = await kit.seize(left)
      accepted(await owner.append({ row: kit.row({ status: 'running' }), open: [kit.wait(left, 'w')], timer: { inMs: 1000 } }))
      assert.equal(await store.remove(left.id, { unfinished: true }), 'busy')
      await clock.advance(kit.lease * 2)
      assert.equal(await store.remove(left.id, { unfinished: false }), 'busy')
      assert.equal(await store.remove(left.id, { unfinished: true }), kit.first('removed', 'unknown'))
      assert.equal(refusal(await owner.append()), 'fenced')
      assert.deepEqual(await store.read(left.id, 1, 1000), [])
      assert.deepEqual((await store.waits({ tenant: 'default' })).items, [])
      assert.deepEqual(await kit.claim('worker-2'), [])
      const again = await kit.start({ key: 'order-1' })
      assert.equal((await store.thread(again.id))?.head, 1)
      assert.equal(await store.remove(again.id, { unfinished: true }), kit.first('removed', 'unknown'))
    }
  },
  {
    name: 'removes no thread that has a live owner, a fresh item or an unfinished run',
    async run({ store, clock }, kit) {
      const { thread } = await restingThread(store, kit)
      const row = kit.row({ status: 'completed' })
      await store.deliver([kit.item(thread.id, 'new')])
      assert.equal(await store.remove(thread.id), 'busy')
      const owner = await kit.seize(thread, 'worker-2')
      accepted(await owner.append({ facts: [received('new')], consumed: ['new'], row }))
      assert.equal(await store.remove(thread.id), 'busy')
      accepted(await owner.append({ row: kit.row({ status: 'running' }) }))
      await clock.advance(kit.lease * 2)
      assert.equal(await store.remove(thread.id), 'busy')
      const next = await kit.seize(thread, 'worker-3')
      accepted(await next.append({ row }))
      await clock.advance(kit.lease * 2)
      assert.equal(await store.remove(thread.id), kit.first('removed', 'unknown'))
      assert.equal(refusal(await next.append()), 'fenced')
    }
  },
  {
    name: 'removes a tree with its root, and no child alone',
    async run({ store }, kit) {
      const root = await kit.start()
      const owner = await kit.own(root)
      const child = kit.child(root)
      accepted(await owner.append({ spawn: [child] }))
      accepted(await owner.release({ row: kit.row({ status: 'completed' }) }))
      assert.equal(await store.remove(root.id), 'busy')
      const below = await kit.own(child)
      accepted(await below.release({ row: kit.row({ status: 'completed' }) }))
      assert.equal(await store.remove(child.id), 'child')
      assert.equal(await store.remove(root.id), kit.first('removed', 'unknown'))
      assert.deepEqual([await store.thread(root.id), await store.thread(child.id)], [null, null])
      assert.deepEqual((await store.follow({ tenant: 'default' }, '', 10)).commits, [])
    }
  },
  {
    name: 'never gives a position again: who follows from before a removal misses nothing that comes after it',
    async run({ store }, kit) {
      const first = await restingThread(store, kit)
      const second = await restingThread(store, kit)
      const { next } = await store.follow({ tenant: 'default' }, '', 1000)
      await store.remove(second.thread.id)
      await store.remove(first.thread.id)
      const third = await kit.start()
      const { commits, next: last } = await store.follow({ tenant: 'default' }, next, 1000)
      assert.deepEqual(
        commits.map((commit) => [commit.thread, commit.sequence]),
        [[third.id, 1]]
      )
      accepted(await (await kit.own(third)).release({ row: kit.row({ status: 'completed' }) }))
      await store.remove(third.id)
      await kit.start()
      const later = await store.follow({ tenant: 'default' }, last, 1000)
      assert.equal(later.commits.length, 1)
      assert.equal((await store.follow({ tenant: 'default' }, '', 1000)).commits.length, 1)
    }
  }
]

const PUBLICATION: ImportedThread['publication'] = {
  digest: 'sha256:p',
  definition: { name: 'agent', model: { ref: 'default' }, variables: [], tools: [], limits: {} }
}

/** A thread that waits, with a message that it has not taken and one that it has. */
export async function restingThread(store: Store, kit: StoreKit): Promise<{ readonly thread: NewThread; readonly wait: WaitRow }> {
  await store.publish(PUBLICATION)
  const { id } = kit.thread()
  const thread = await kit.start({ key: `key of ${id}` })
  const owner = await kit.own(thread)
  await store.deliver([kit.item(thread.id, 'm1'), kit.item(thread.id, 'm2')])
  const wait = kit.wait(thread, 'w', { expiresInMs: 60_000 })
  const by = person('ada')
  const started: Fact = { v: 1, type: 'run.started', run: 'run_1', publication: 'sha256:p', mode: 'sequential', by }
  const opened: Fact = { v: 1, type: 'wait.opened', run: 'run_1', wait: wait.id, kind: wait.kind, subject: { inline: wait.subject } }
  accepted(await owner.append({ facts: [started, received('m1')], consumed: ['m1'], deferred: ['m2'] }))
  const row = kit.row({ status: 'waiting', run: 'run_1', startedIn: 3, runUsage: { inputTokens: 3, outputTokens: 4 } })
  accepted(await owner.release({ facts: [opened], open: [wait], row, progress: true }))
  const kept = await store.wait(wait.id)
  assert.ok(kept)
  return { thread, wait: kept }
}

/** All that an import is given, as an export reads it. */
export async function takeOut(store: Store, { id }: NewThread): Promise<ImportedThread> {
  const info = await store.thread(id)
  assert.ok(info)
  const { tenant, key, root, path, attempt, row } = info
  const commits = (await store.read(id, 1, 10_000_000)).map(({ tenant: _, thread: __, position: ___, ...commit }) => commit)
  return {
    ...{ tenant, id, root, path, attempt, row, commits, publication: PUBLICATION },
    ...(key === undefined ? {} : { key }),
    items: await store.items(id),
    runs: await store.runs(id),
    waits: (await store.waits({ tenant, thread: id })).items,
    artifacts: [ARTIFACT]
  }
}

/** All that lists and reads tell of a thread, but for the place of its commits in the feed. */
async function everything(store: Store, { id }: NewThread): Promise<readonly unknown[]> {
  const info: ThreadInfo | null = await store.thread(id)
  const log = (await store.read(id, 1, 10_000_000)).map(({ position: _, ...commit }: Commit) => commit)
  const waits = await store.waits({ tenant: 'default', thread: id })
  return [info, log, await store.items(id), await store.pending(id), await store.runs(id), waits]
}
