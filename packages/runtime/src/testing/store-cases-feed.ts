import assert from 'node:assert/strict'
import type { Commit, Fact } from '../contracts/fact.ts'
import type { Store } from '../contracts/store.ts'
import type { Owner, StoreCase, StoreKit } from './store-kit.ts'
import { accepted, note, person, received } from './store-kit.ts'

/** Reading, following, and that every other row follows from commits and items (I1, I13). */
export const feedCases: readonly StoreCase[] = [
  {
    name: 'reads a log in pages of about the bytes asked for, and at least one commit',
    async run({ store }, kit) {
      const owner = await kit.own(await kit.start())
      for (let made = 0; made < 10; made += 1) accepted(await owner.append({ facts: [note('x'.repeat(1000))] }))
      const id = owner.claim.thread
      const sequences = async (from: number, bytes: number) => (await store.read(id, from, bytes)).map((commit) => commit.sequence)
      assert.deepEqual(await sequences(1, 1), [1])
      assert.deepEqual(await sequences(3, 2500), [3, 4, 5])
      assert.deepEqual(await sequences(11, 1_000_000), [11, 12])
      assert.deepEqual(await sequences(13, 1_000_000), [])
      const all = await store.read(id, 1, 1_000_000)
      assert.deepEqual(
        all.map((commit) => commit.sequence),
        Array.from({ length: 12 }, (_, index) => index + 1)
      )
      assert.ok(all.every((commit) => commit.digest.startsWith('sha256:') && commit.format === 1 && commit.tenant === 'default'))
    }
  },
  {
    name: 'follows a thread, a tree and everything, and goes on from where it was',
    async run({ store }, kit) {
      const root = await kit.start()
      const other = await kit.start()
      const owner = await kit.own(root)
      const child = kit.child(root)
      accepted(await owner.append({ spawn: [child] }))
      const [below, beside] = [await kit.own(child), await kit.own(other)]
      for (let turn = 0; turn < 4; turn += 1) for (const one of [owner, below, beside]) accepted(await one.append())
      const all = await followAll(store, {}, 3)
      assert.deepEqual(
        all.map((commit) => Number(commit.position)),
        all.map((commit) => Number(commit.position)).toSorted((a, b) => a - b)
      )
      assert.equal(all.length, 7 + 6 + 6)
      const ofThread = (ids: readonly string[]) => all.filter((commit) => ids.includes(commit.thread)).map((commit) => commit.position)
      const positions = async (filter: object) => (await followAll(store, filter, 2)).map((commit) => commit.position)
      assert.deepEqual(await positions({ thread: child.id }), ofThread([child.id]))
      assert.deepEqual(await positions({ root: root.id }), ofThread([root.id, child.id]))
      assert.deepEqual(await positions({ root: root.id, thread: other.id }), [])
      const end = (await store.follow({ tenant: 'default', thread: child.id }, '', 100)).next
      accepted(await below.append({ facts: [note('new')] }))
      const { commits } = await store.follow({ tenant: 'default', thread: child.id }, end, 100)
      assert.deepEqual(
        commits.map((commit) => commit.facts),
        [[note('new')]]
      )
    }
  },
  {
    name: 'follows concurrent writers without gaps',
    async run({ store, open }, kit) {
      const stores = open === undefined ? [store] : [store, await open(), await open()]
      const writers = stores.flatMap((handle) => [handle, handle])
      const owners: Owner[] = []
      for (const [index, handle] of writers.entries()) owners.push(await kit.own(await kit.start(), `worker-${index}`, handle))
      let left = writers.length
      const seen: string[] = []
      const follow = async () => {
        for (let after = '', isLast = false; ; ) {
          isLast = left === 0
          const page = await store.follow({ tenant: 'default' }, after, 3)
          seen.push(...page.commits.map((commit) => `${commit.thread}/${commit.sequence}`))
          if (isLast && page.commits.length === 0) return
          after = page.next
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      const write = async (owner: Owner) => {
        for (let turn = 0; turn < 25; turn += 1) accepted(await owner.append({ facts: [note(turn)] }))
        left -= 1
      }
      await Promise.all([follow(), ...owners.map(write)])
      const expected = owners.flatMap((owner) => Array.from({ length: owner.sequence }, (_, index) => `${owner.claim.thread}/${index + 1}`))
      assert.deepEqual(seen.toSorted(), expected.toSorted())
      for (const owner of owners) {
        const own = seen.filter((place) => place.startsWith(owner.claim.thread))
        assert.deepEqual(
          own,
          expected.filter((place) => place.startsWith(owner.claim.thread))
        )
      }
    }
  },
  {
    name: 'hands rows and hints from one handle to the other',
    needs: 'handles',
    async run({ store, open }, kit) {
      assert.ok(open)
      const second = await open()
      const told = new Promise((resolve) => {
        const listening = second.hint((thread) => {
          listening[Symbol.dispose]()
          resolve(thread)
        })
      })
      const thread = await kit.start()
      assert.equal(await told, null)
      const owner = await kit.own(thread, 'worker-1', second)
      assert.deepEqual(await kit.claim('worker-2', { only: [thread.id] }), [])
      await store.deliver([kit.item(thread.id, 'm1')])
      const kept = accepted(await owner.release())
      assert.deepEqual([kept.owned, kept.fresh], [true, true])
      await kit.seize(thread, 'worker-2', { takeover: true })
      const refused = await owner.append()
      assert.deepEqual(refused.ok ? null : refused.why, 'fenced')
    }
  },
  {
    name: 'shows the inboxes, waits, heads and runs that commits and accepted items alone would give',
    async run({ store, clock }, kit) {
      const threads = [await kit.start(), await kit.start(), await kit.start()]
      const accepted_ = new Map(threads.map((thread) => [thread.id, [thread.first.id]]))
      const random = createRandom(7)
      const owners = await Promise.all(threads.map((thread) => kit.seize(thread)))
      for (let step = 0; step < 120; step += 1) {
        const owner = owners[random(owners.length)]
        assert.ok(owner)
        await clock.advance(random(20))
        await act(kit, store, owner, random, accepted_.get(owner.claim.thread) ?? [], step)
      }
      for (const thread of threads) {
        const log = await store.read(thread.id, 1, 10_000_000)
        const derived = deriveIndexes(log, accepted_.get(thread.id) ?? [])
        const info = await store.thread(thread.id)
        assert.deepEqual(
          (await store.pending(thread.id)).map((item) => item.id),
          derived.pending
        )
        assert.deepEqual(
          (await store.waits({ tenant: 'default', thread: thread.id })).items.map((wait) => wait.id),
          derived.waits
        )
        assert.deepEqual([info?.head, info?.at, info?.pending], [log.length, log.at(-1)?.at, derived.pending.length])
      }
    }
  }
]

async function followAll(store: Store, filter: object, limit: number): Promise<readonly Commit[]> {
  const found: Commit[] = []
  for (let after = ''; ; ) {
    const { commits, next } = await store.follow({ tenant: 'default', ...filter }, after, limit)
    if (commits.length === 0) return found
    found.push(...commits)
    after = next
  }
}

/** One random thing that happens to a thread, told by facts as a real driver tells it. */
async function act(
  kit: StoreKit,
  store: Store,
  owner: Owner,
  random: (below: number) => number,
  ids: string[],
  step: number
): Promise<void> {
  const thread = kit.thread({ id: owner.claim.thread })
  const pending = (await store.pending(thread.id)).map((item) => item.id)
  const waits = (await store.waits({ tenant: 'default', thread: thread.id })).items
  const chosen = random(6)
  if (chosen <= 1) {
    ids.push(`m${step}`)
    await store.deliver([kit.item(thread.id, `m${step}`)])
  } else if (chosen === 2) {
    const wait = kit.wait(thread, `w${step}`)
    const { id, kind, subject } = wait
    accepted(await owner.append({ facts: [{ v: 1, type: 'wait.opened', wait: id, kind, subject: { inline: subject } }], open: [wait] }))
  } else if (chosen === 3) {
    const open = waits.filter((wait) => wait.state === 'open')
    const id = open[random(open.length)]?.id
    if (id === undefined) return
    ids.push(`decide:${id}`)
    await store.decide(id, step, person('ada'))
  } else {
    accepted(await owner.append({ ...takeSome(pending, random), deferred: pending.filter(() => random(2) === 0) }))
  }
}

/** Consumes some items; a decision closes its wait. */
function takeSome(pending: readonly string[], random: (below: number) => number) {
  const consumed = pending.filter(() => random(2) === 0)
  const facts: Fact[] = consumed.map((id) =>
    id.startsWith('decide:') ? { v: 1, type: 'wait.resolved', wait: id.slice('decide:'.length), as: 'decided', cause: id } : received(id)
  )
  const close = facts.flatMap((fact) => (fact.type === 'wait.resolved' ? [fact.wait] : []))
  return { consumed, facts: [...facts, note()], close }
}

/** The rows that can be made from nothing but the log and the accepted items. */
function deriveIndexes(
  log: readonly Commit[],
  items: readonly string[]
): { readonly pending: readonly string[]; readonly waits: readonly string[] } {
  const facts = log.flatMap((commit) => commit.facts)
  const consumed = new Set(facts.flatMap((fact) => (fact.cause === undefined ? [] : [fact.cause])))
  const resolved = new Set(facts.flatMap((fact) => (fact.type === 'wait.resolved' ? [fact.wait] : [])))
  const opened = facts.flatMap((fact) => (fact.type === 'wait.opened' ? [fact.wait] : []))
  return { pending: items.filter((id) => !consumed.has(id)), waits: opened.filter((id) => !resolved.has(id)) }
}

function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return below === 0 ? 0 : Math.floor((state / 4_294_967_296) * below)
  }
}
