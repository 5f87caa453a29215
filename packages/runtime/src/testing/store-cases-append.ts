import assert from 'node:assert/strict'
import type { StoreCase } from './store-kit.ts'
import { accepted, assertCode, note, received, refusal } from './store-kit.ts'

/** The fence, the sequence and everything that one commit does at once (I3, I10). */
export const appendCases: readonly StoreCase[] = [
  {
    name: 'gives the same receipt for the same append again',
    async run({ store, clock }, kit) {
      const owner = await kit.own(await kit.start())
      const request = owner.request({ facts: [note('once')] })
      const receipt = accepted(await store.append(request))
      await clock.advance(5)
      const again = accepted(await store.append(request))
      assert.equal(receipt.repeated, kit.first(false, true))
      assert.deepEqual(again, { ...receipt, now: clock.now(), repeated: true })
      assert.equal((await store.thread(request.thread))?.head, receipt.sequence)
    }
  },
  {
    name: 'shows a commit whose sync may wait to everybody at once',
    async run({ store }, kit) {
      const owner = await kit.own(await kit.start())
      const request = owner.request({ facts: [note('soon')], sync: 'later' })
      const receipt = accepted(await store.append(request))
      const [commit] = await store.read(request.thread, receipt.sequence, 1_000)
      assert.deepEqual(commit?.facts, request.facts)
      assert.equal(accepted(await store.append(request)).repeated, true)
      accepted(await store.append(owner.request({ expectedSequence: receipt.sequence, facts: [note('now')] })))
    }
  },
  {
    name: 'gives the receipt and owned false for a repeat after a takeover',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const request = owner.request({ facts: [note('mine')] })
      const receipt = accepted(await store.append(request))
      await kit.seize(thread, 'worker-2', { takeover: true })
      const again = accepted(await store.append(request))
      assert.deepEqual([again.repeated, again.owned, again.sequence, again.at], [true, false, receipt.sequence, receipt.at])
    }
  },
  {
    name: 'refuses a stale attempt at the right sequence',
    async run({ store }, kit) {
      const thread = await kit.start()
      const stale = await kit.own(thread)
      const owner = await kit.seize(thread, 'worker-2', { takeover: true })
      // The sequence would hide a missing fence: the new owner has not written yet. // I3
      assert.equal(owner.sequence, stale.sequence)
      assert.equal(refusal(await stale.append()), 'fenced')
      assert.equal((await store.thread(thread.id))?.head, stale.sequence)
      accepted(await owner.release())
      assert.equal(refusal(await store.append(owner.request({ facts: [note('after release')] }))), 'fenced')
    }
  },
  {
    name: 'refuses a sequence that is not the next, and says where the log is',
    async run({ store }, kit) {
      const owner = await kit.own(await kit.start())
      const head = owner.sequence
      for (const expectedSequence of [head - 1, head + 1]) {
        const receipt = await store.append(owner.request({ expectedSequence, facts: [note('elsewhere')] }))
        assert.equal(refusal(receipt), 'sequence')
        assert.deepEqual(receipt.ok ? null : [receipt.head, receipt.attempt], [head, owner.claim.attempt])
      }
    }
  },
  {
    name: 'accepts one of many rivals for the same sequence',
    async run({ store }, kit) {
      const owner = await kit.own(await kit.start())
      const rivals = Array.from({ length: 20 }, (_, index) => store.append(owner.request({ facts: [note(index)] })))
      const receipts = await Promise.all(rivals)
      assert.equal(receipts.filter((receipt) => receipt.ok).length, 1)
      assert.equal((await store.thread(owner.claim.thread))?.head, owner.sequence + 1)
    }
  },
  {
    name: 'stamps commits by its own clock, never backwards within a thread',
    async run({ store, clock }, kit) {
      const owner = await kit.own(await kit.start())
      const start = clock.now()
      await clock.advance(1000)
      assert.equal(accepted(await owner.append()).at, start + 1000)
      clock.setNow(start - 60_000)
      assert.equal(accepted(await owner.append()).at, start + 1000)
      clock.setNow(start + 2000)
      assert.equal(accepted(await owner.append()).at, start + 2000)
      const commits = await store.read(owner.claim.thread, 3, 10_000)
      assert.deepEqual(
        commits.map((commit) => commit.at),
        [start + 1000, start + 1000, start + 2000]
      )
      assert.deepEqual(
        commits.map((commit) => commit.worker),
        ['worker-1', 'worker-1', 'worker-1']
      )
    }
  },
  {
    name: 'consumes every item once: an item that is gone or unknown refuses the whole commit',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      await store.deliver([kit.item(thread.id, 'm1')])
      accepted(await owner.append({ facts: [received('m1')], consumed: ['m1'] }))
      assert.equal(refusal(await owner.append({ facts: [received('m1')], consumed: ['m1'] })), 'conflict')
      assert.equal(refusal(await owner.append({ facts: [received('none')], consumed: ['none'] })), 'conflict')
      assert.deepEqual(await store.deliver([kit.item(thread.id, 'm1')]), ['repeated'])
      assert.deepEqual(await store.pending(thread.id), [])
      assert.equal((await store.thread(thread.id))?.head, owner.sequence)
    }
  },
  {
    name: 'sends, spawns and opens in the commit that names them, or not at all',
    async run({ store, clock }, kit) {
      const parent = await kit.start()
      const owner = await kit.own(parent)
      const child = kit.child(parent, { key: 'child' })
      const send = [kit.item(child.id, 'hello'), kit.item(parent.id, 'self')]
      const all = { spawn: [child], send, open: [kit.wait(parent, 'w', { expiresInMs: 500 })] }
      assert.equal(refusal(await owner.append({ ...all, expectedSequence: 99 })), 'sequence')
      assert.deepEqual([await store.thread(child.id), (await store.waits({ tenant: 'default' })).items], [null, []])
      const receipt = accepted(await owner.append(all))
      assert.equal(receipt.fresh, true)
      assert.deepEqual(
        (await store.pending(child.id)).map((item) => item.id),
        [child.first.id, 'hello']
      )
      assert.deepEqual(
        (await store.pending(parent.id)).map((item) => item.id),
        ['self']
      )
      const info = await store.thread(child.id)
      assert.deepEqual([info?.root, info?.head, info?.attempt, info?.key], [parent.id, 1, 0, 'child'])
      assert.equal((await store.wait(kit.wait(parent, 'w').id))?.expiresAt, clock.now() + 500)
      const claims = await kit.claim('worker-2')
      assert.deepEqual(
        claims.map((claim) => claim.thread),
        [child.id]
      )
    }
  },
  {
    name: 'ignores what it was sent, spawned or asked to open before, and refuses other content under the same id',
    async run({ store }, kit) {
      const parent = await kit.start()
      const owner = await kit.own(parent)
      const child = kit.child(parent)
      const wait = kit.wait(parent, 'w')
      const all = { spawn: [child], send: [kit.item(child.id, 'hello')], open: [wait] }
      accepted(await owner.append(all))
      accepted(await owner.append(all))
      assert.equal((await store.pending(child.id)).length, 2)
      assert.equal(refusal(await owner.append({ send: [kit.item(child.id, 'hello', { body: 'other' })] })), 'conflict')
      assert.equal(refusal(await owner.append({ open: [{ ...wait, digest: 'sha256:other' }] })), 'conflict')
      assert.equal(
        refusal(await owner.append({ spawn: [{ ...child, first: kit.item(child.id, 'start', { body: 'other' }) }] })),
        'conflict'
      )
    }
  },
  {
    name: 'keeps a commit within its tree: items and births for others refuse it',
    async run(_, kit) {
      const thread = await kit.start()
      const stranger = await kit.start()
      const owner = await kit.own(thread)
      assert.equal(refusal(await owner.append({ send: [kit.item(stranger.id, 'i')] })), 'conflict')
      assert.equal(refusal(await owner.append({ send: [kit.item('thr_none', 'i')] })), 'conflict')
      assert.equal(refusal(await owner.append({ spawn: [kit.thread()] })), 'conflict')
      assert.equal(refusal(await owner.append({ spawn: [kit.child(thread, { tenant: 'other' })] })), 'conflict')
      assert.equal(refusal(await owner.append({ open: [kit.wait(stranger, 'w')] })), 'conflict')
    }
  },
  {
    name: 'refuses facts over 1 MiB and items over 18 MiB before anything is written', // B052
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const large = 'é'.repeat(524_288)
      await assertCode(owner.append({ facts: [note(large)] }), 'value_too_large')
      const larger = 'é'.repeat(9_437_184)
      await assertCode(owner.append({ send: [kit.item(thread.id, 'i', { body: larger })] }), 'value_too_large')
      await assertCode(store.deliver([kit.item(thread.id, 'ok'), kit.item(thread.id, 'i', { body: larger })]), 'value_too_large')
      await assertCode(store.create({ ...kit.thread(), first: kit.item('thr_x', 'i', { body: larger }) }), 'value_too_large')
      assert.deepEqual(await store.pending(thread.id), [])
      accepted(await owner.append({ facts: [note('x'.repeat(1_000_000))] }))
      const body = 'x'.repeat(17_000_000)
      await store.deliver([kit.item(thread.id, 'i', { body })])
      assert.equal((await store.pending(thread.id))[0]?.body, body)
    }
  },
  {
    name: 'lets a commit be empty only when it releases',
    async run({ store }, kit) {
      const owner = await kit.own(await kit.start())
      await assertCode(owner.append({ facts: [] }), 'invalid_input')
      const receipt = accepted(await owner.release({ facts: [] }))
      assert.deepEqual([receipt.owned, receipt.fresh], [false, false])
      assert.equal((await store.thread(owner.claim.thread))?.owner, undefined)
    }
  },
  {
    name: 'gives each of many threads its own receipt when their appends come at once',
    async run({ store }, kit) {
      const threads = await Promise.all(Array.from({ length: 30 }, () => kit.start()))
      const claims = await kit.claim('worker-1')
      assert.equal(claims.length, threads.length)
      const owners = await Promise.all(threads.map((thread) => kit.seize(thread)))
      const receipts = await Promise.all(
        owners.map((owner, index) => owner.append({ facts: [note(index)], ...(index % 3 === 0 ? { attempt: 0 } : {}) }))
      )
      assert.deepEqual(
        receipts.map((receipt) => receipt.ok),
        threads.map((_, index) => index % 3 !== 0)
      )
      const heads = await Promise.all(threads.map(async (thread) => (await store.thread(thread.id))?.head))
      assert.deepEqual(
        heads,
        threads.map((_, index) => (index % 3 === 0 ? 1 : 2))
      )
    }
  }
]
