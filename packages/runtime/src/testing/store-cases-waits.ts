import assert from 'node:assert/strict'
import type { NewThread } from '../contracts/store.ts'
import type { Owner, StoreCase, StoreKit } from './store-kit.ts'
import { accepted, note, person, refusal } from './store-kit.ts'

const YES = { decision: 'approve' }
const NO = { decision: 'deny' }

/** A thread that holds one open wait, released. */
async function waiting(kit: StoreKit, over: object = {}): Promise<{ thread: NewThread; wait: string }> {
  const thread = await kit.start()
  const owner = await kit.own(thread)
  const wait = kit.wait(thread, 'w', over)
  accepted(await owner.release({ open: [wait] }))
  return { thread, wait: wait.id }
}

function resolved(wait: string, as: 'decided' | 'expired' | 'cancelled') {
  return { v: 1, type: 'wait.resolved', wait, as } as const
}

/** Decisions (I11, I12), expiry, cycles. */
export const waitCases: readonly StoreCase[] = [
  {
    name: 'decides a wait once and puts the decision into the inbox in the same transaction',
    async run({ store, clock }, kit) {
      const { thread, wait } = await waiting(kit)
      assert.deepEqual(await store.decide(wait, YES, person('ada')), { state: kit.first('accepted', 'repeated'), recorded: YES })
      assert.deepEqual(await store.decide(wait, { decision: 'approve' }, person('ada')), { state: 'repeated', recorded: YES })
      assert.deepEqual(await store.decide(wait, NO, person('bob')), { state: 'conflict', recorded: YES })
      const [item, ...rest] = await store.pending(thread.id)
      assert.deepEqual(rest, [])
      assert.deepEqual(
        [item?.id, item?.kind, item?.from, item?.body, item?.state],
        [`decide:${wait}`, 'decision', person('ada'), { wait, decision: YES }, 'fresh']
      )
      const row = await store.wait(wait)
      assert.deepEqual([row?.state, row?.decision, row?.votes], ['decided', YES, [{ by: person('ada'), decision: YES, at: clock.now() }]])
      assert.deepEqual(
        (await kit.claim('worker-2')).map((claim) => claim.thread),
        [thread.id]
      )
    }
  },
  {
    name: 'lets nobody put an item in the place of a decision', // I12
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const wait = kit.wait(thread, 'w')
      accepted(await owner.append({ open: [wait] }))
      const forged = kit.item(thread.id, `decide:${wait.id}`, {
        kind: 'decision',
        from: person('mallory'),
        body: { wait: wait.id, decision: YES }
      })
      assert.deepEqual(await store.deliver([forged]), ['refused'])
      assert.equal(refusal(await owner.append({ send: [forged] })), 'conflict')
      await store.decide(wait.id, NO, person('ada'))
      assert.deepEqual(
        (await store.pending(thread.id)).map((item) => item.body),
        [{ wait: wait.id, decision: NO }]
      )
    }
  },
  {
    name: 'accepts one of many rival decisions',
    async run({ store }, kit) {
      const { thread, wait } = await waiting(kit)
      const rivals = Array.from({ length: 10 }, (_, index) => store.decide(wait, { choice: index }, person(`p${index}`)))
      const answers = await Promise.all(rivals)
      assert.equal(answers.filter((answer) => answer.state === kit.first('accepted', 'repeated')).length, 1)
      assert.equal(answers.filter((answer) => answer.state === 'conflict').length, 9)
      assert.equal((await store.pending(thread.id)).length, 1)
    }
  },
  {
    name: 'counts the votes of distinct principals until enough agree',
    async run({ store }, kit) {
      const { thread, wait } = await waiting(kit, { needed: 2 })
      assert.equal((await store.decide(wait, YES, person('ada'))).state, kit.first('counted', 'repeated'))
      assert.equal((await store.decide(wait, YES, person('ada'))).state, 'repeated')
      const other = { ...YES, arguments: { amount: 1 } }
      assert.equal((await store.decide(wait, other, person('bob'))).state, kit.first('counted', 'repeated'))
      assert.deepEqual([(await store.pending(thread.id)).length, (await store.wait(wait))?.state], [0, 'open'])
      const noted = { ...YES, note: 'looks right' }
      assert.equal((await store.decide(wait, noted, { kind: 'host', id: 'ada' })).state, kit.first('accepted', 'repeated'))
      assert.deepEqual([(await store.pending(thread.id)).length, (await store.wait(wait))?.votes.length], [1, 3])
    }
  },
  {
    name: 'lets a principal change its vote until the wait is decided',
    async run({ store }, kit) {
      const { thread, wait } = await waiting(kit, { needed: 2 })
      const other = { ...YES, arguments: { amount: 1 } }
      assert.equal((await store.decide(wait, YES, person('ada'))).state, kit.first('counted', 'repeated'))
      assert.equal((await store.decide(wait, other, person('bob'))).state, kit.first('counted', 'repeated'))
      assert.equal((await store.decide(wait, other, person('ada'))).state, kit.first('accepted', 'repeated'))
      assert.equal((await store.decide(wait, YES, person('ada'))).state, 'conflict')
      const row = await store.wait(wait)
      assert.deepEqual([row?.decision, row?.votes.length, (await store.pending(thread.id)).length], [other, 2, 1])
      const second = await waiting(kit, { needed: 2 })
      assert.equal((await store.decide(second.wait, YES, person('ada'))).state, kit.first('counted', 'repeated'))
      assert.equal((await store.decide(second.wait, NO, person('ada'))).state, kit.first('accepted', 'repeated'))
      assert.deepEqual((await store.wait(second.wait))?.decision, NO)
    }
  },
  {
    name: 'is decided by the first refusal, however many must approve',
    async run({ store }, kit) {
      const { thread, wait } = await waiting(kit, { needed: 3 })
      assert.equal((await store.decide(wait, YES, person('ada'))).state, kit.first('counted', 'repeated'))
      assert.equal((await store.decide(wait, NO, person('bob'))).state, kit.first('accepted', 'repeated'))
      assert.equal((await store.decide(wait, YES, person('cy'))).state, 'conflict')
      assert.deepEqual([(await store.pending(thread.id)).length, (await store.wait(wait))?.decision], [1, NO])
    }
  },
  {
    name: 'refuses a decision past the expiry, by its own clock',
    async run({ store, clock }, kit) {
      const { thread, wait } = await waiting(kit, { expiresInMs: 1000 })
      const early = await waiting(kit, { expiresInMs: 1000 })
      await clock.advance(999)
      assert.equal((await store.decide(early.wait, YES, person('ada'))).state, kit.first('accepted', 'repeated'))
      await clock.advance(1)
      assert.equal((await store.decide(wait, YES, person('ada'))).state, 'expired')
      assert.equal((await store.decide(early.wait, YES, person('ada'))).state, 'repeated')
      assert.deepEqual(await store.pending(thread.id), [])
    }
  },
  {
    name: 'answers unknown and closed, and still tells the decision that a closed wait had',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const [one, two] = [kit.wait(thread, 'one'), kit.wait(thread, 'two')]
      accepted(await owner.append({ open: [one, two] }))
      await store.decide(two.id, YES, person('ada'))
      const item = `decide:${two.id}`
      accepted(
        await owner.append({
          facts: [resolved(one.id, 'cancelled'), { ...resolved(two.id, 'decided'), cause: item }],
          close: [one.id, two.id],
          consumed: [item]
        })
      )
      assert.deepEqual(await store.decide('thr_none:w', YES, person('ada')), { state: 'unknown' })
      assert.deepEqual(await store.decide(one.id, YES, person('ada')), { state: 'closed' })
      assert.deepEqual(await store.decide(two.id, YES, person('bob')), { state: 'repeated', recorded: YES })
      assert.equal((await store.decide(two.id, NO, person('ada'))).state, 'conflict')
    }
  },
  ...(['expired', 'cancelled'] as const).map(
    (as): StoreCase => ({
      name: `refuses a commit that closes a decided wait as ${as} without its decision`,
      async run({ store }, kit) {
        const { owner, wait } = await owned(kit)
        await store.decide(wait, YES, person('ada'))
        const receipt = await owner.append({ facts: [resolved(wait, as)], close: [wait] })
        assert.equal(refusal(receipt), 'decided')
        assert.deepEqual(receipt.ok ? null : receipt.waits, [wait])
        const item = `decide:${wait}`
        accepted(await owner.append({ facts: [{ ...resolved(wait, 'decided'), cause: item }], close: [wait], consumed: [item] }))
        assert.equal((await store.wait(wait))?.state, 'closed')
      }
    })
  ),
  {
    name: 'refuses the end of a run that would leave a decision unread',
    async run({ store }, kit) {
      const { owner, wait } = await owned(kit)
      await store.decide(wait, YES, person('ada'))
      const ended = { v: 1, type: 'run.ended', run: 'run_1', status: 'cancelled' } as const
      assert.equal(refusal(await owner.release({ facts: [resolved(wait, 'cancelled'), ended], close: [wait] })), 'decided')
      // Read and discarded in the same commit is as good as followed. // I10
      const item = `decide:${wait}`
      const discarded = { v: 1, type: 'item.discarded', item, why: 'closed', cause: item } as const
      accepted(await owner.release({ facts: [discarded, resolved(wait, 'cancelled'), ended], close: [wait], consumed: [item] }))
    }
  },
  {
    name: 'lists open waits and decided ones that were not read, oldest first, in pages',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const waits = ['a', 'b', 'c', 'd'].map((name) => kit.wait(thread, name, { kind: name === 'd' ? 'question' : 'approval' }))
      accepted(await owner.append({ open: waits }))
      const other = await waiting(kit)
      const [a, b, c, d] = waits.map((wait) => wait.id)
      await store.decide(b ?? '', YES, person('ada'))
      accepted(await owner.append({ facts: [note()], close: [c ?? ''] }))
      const ids = async (query: object) => (await store.waits({ tenant: 'default', ...query })).items.map((wait) => wait.id)
      assert.deepEqual(await ids({}), [a, b, d, other.wait])
      assert.deepEqual(await ids({ thread: thread.id, kind: ['question', 'timer'] }), [d])
      assert.deepEqual(await ids({ root: other.thread.id }), [other.wait])
      const page = await store.waits({ tenant: 'default', limit: 2 })
      assert.deepEqual(
        page.items.map((wait) => wait.id),
        [a, b]
      )
      assert.deepEqual(await ids({ limit: 2, after: page.next }), [d, other.wait])
      const row = await store.wait(a ?? '')
      assert.deepEqual([row?.subject, row?.needed, row?.votes, row?.state, row?.path], [{ name: 'a' }, 1, [], 'open', ''])
    }
  },
  {
    name: 'refuses the wait that would close a circle, from whichever side it comes',
    async run({ store }, kit) {
      for (const order of ['parent first', 'child first']) {
        const { parent, child, grandchild } = await family(kit)
        const await_ = (from: Owner, to: Owner) =>
          kit.wait(threadOf(kit, from, parent), `for-${to.claim.thread}`, { kind: 'agent', targets: [to.claim.thread] })
        const [one, two] = order === 'parent first' ? [parent, child] : [child, parent]
        accepted(await one.append({ open: [await_(one, two)] }))
        const refused = await two.append({ open: [await_(two, one)] })
        assert.equal(refusal(refused), 'wait_cycle')
        assert.deepEqual(refused.ok ? null : refused.waits, [await_(two, one).id])
        assert.equal(await store.wait(await_(two, one).id), null)
        // Transitively, and for a thread that would wait for itself.
        accepted(await grandchild.append({ open: [await_(grandchild, one)] }))
        assert.equal(refusal(await two.append({ open: [await_(two, grandchild)] })), 'wait_cycle')
        assert.equal(refusal(await two.append({ open: [await_(two, two)] })), 'wait_cycle')
        // A wait that was closed holds nobody.
        accepted(await one.append({ close: [await_(one, two).id] }))
        accepted(await two.append({ open: [await_(two, one)] }))
      }
    }
  }
]

async function owned(kit: StoreKit): Promise<{ owner: Owner; wait: string }> {
  const thread = await kit.start()
  const owner = await kit.own(thread)
  const wait = kit.wait(thread, 'w')
  accepted(await owner.append({ open: [wait] }))
  return { owner, wait: wait.id }
}

async function family(kit: StoreKit): Promise<{ parent: Owner; child: Owner; grandchild: Owner }> {
  const root = await kit.start()
  const parent = await kit.own(root)
  const [one, two] = [kit.child(root), kit.child(root, { id: `${root.id}.grand` })]
  accepted(await parent.append({ spawn: [one, two] }))
  return { parent, child: await kit.own(one), grandchild: await kit.own(two) }
}

function threadOf(kit: StoreKit, owner: Owner, parent: Owner): NewThread {
  return kit.thread({ id: owner.claim.thread, root: parent.claim.thread })
}
