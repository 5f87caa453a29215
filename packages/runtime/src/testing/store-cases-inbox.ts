import assert from 'node:assert/strict'
import type { Store } from '../contracts/store.ts'
import type { Owner, StoreCase } from './store-kit.ts'
import { accepted, received } from './store-kit.ts'

/** Items: what wakes a thread, what does not, and the release that must not lose one (I10, I15). */
export const inboxCases: readonly StoreCase[] = [
  {
    name: 'answers each delivered item: queued, repeated, conflict, refused',
    async run({ store }, kit) {
      const thread = await kit.start()
      const item = kit.item(thread.id, 'm1')
      assert.deepEqual(await store.deliver([item, kit.item('thr_none', 'm1')]), [kit.first('queued', 'repeated'), 'refused'])
      assert.deepEqual(await store.deliver([item, kit.item(thread.id, 'm1', { body: 'other' })]), ['repeated', 'conflict'])
      assert.deepEqual(await store.deliver([]), [])
      const pending = await store.pending(thread.id)
      assert.deepEqual(
        pending.map(({ id, body }) => ({ id, body })),
        [
          { id: thread.first.id, body: null },
          { id: 'm1', body: { text: 'm1' } }
        ]
      )
    }
  },
  {
    name: 'gives pending items in order of arrival, with scope and sender, fresh and deferred',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const sent = ['c', 'a', 'b'].map((id) => kit.item(thread.id, id, { scope: 'step', from: { kind: 'agent', id } }))
      for (const item of sent) await store.deliver([item])
      accepted(await owner.append({ deferred: ['c', 'b'] }))
      const pending = await store.pending(thread.id)
      assert.deepEqual(
        pending.map(({ id, scope, from, state }) => [id, scope, from.id, state]),
        [
          ['c', 'step', 'c', 'deferred'],
          ['a', 'step', 'a', 'fresh'],
          ['b', 'step', 'b', 'deferred']
        ]
      )
    }
  },
  {
    name: 'wakes nobody for a deferred item, and always for a fresh one',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      await store.deliver([kit.item(thread.id, 'm1')])
      assert.equal(accepted(await owner.release({ deferred: ['m1'] })).owned, false)
      assert.deepEqual(await kit.claim('worker-2'), [])
      await store.deliver([kit.item(thread.id, 'm1')])
      assert.deepEqual(await kit.claim('worker-2'), [])
      await store.deliver([kit.item(thread.id, 'm2')])
      const [claim] = await kit.claim('worker-2')
      assert.equal(claim?.thread, thread.id)
      assert.equal(claim?.why, kit.first('items', 'expired'))
      assert.deepEqual(
        (await store.pending(thread.id)).map((item) => item.id),
        ['m1', 'm2']
      )
    }
  },
  {
    name: 'finds a delivery between the last read and the release: the owner stays and is told',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      assert.deepEqual(await store.pending(thread.id), [])
      await store.deliver([kit.item(thread.id, 'm1')])
      const kept = accepted(await owner.release())
      assert.deepEqual([kept.owned, kept.fresh], [true, true])
      assert.equal((await store.thread(thread.id))?.owner?.worker, 'worker-1')
      assert.deepEqual(await kit.claim('worker-2'), [])
      const released = accepted(await owner.release({ facts: [received('m1')], consumed: ['m1'] }))
      assert.deepEqual([released.owned, released.fresh], [false, false])
    }
  },
  {
    name: 'tells with each receipt whether fresh items wait',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      assert.equal(accepted(await owner.append()).fresh, false)
      await store.deliver([kit.item(thread.id, 'm1'), kit.item(thread.id, 'm2')])
      assert.equal(accepted(await owner.append()).fresh, true)
      assert.equal(accepted(await owner.append({ facts: [received('m1')], consumed: ['m1'] })).fresh, true)
      assert.equal(accepted(await owner.append({ deferred: ['m2'] })).fresh, false)
      assert.equal(accepted(await owner.append({ facts: [received('m2')], consumed: ['m2'] })).fresh, false)
      assert.equal((await store.thread(thread.id))?.pending, 0)
    }
  },
  {
    name: 'loses no item of many senders while the owner comes and goes',
    async run({ store }, kit) {
      const thread = await kit.start()
      const sent = Array.from({ length: 40 }, (_, index) => `m${index}`)
      const taken: string[] = []
      const senders = sent.map(async (id, index) => {
        for (let turn = 0; turn < index % 7; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        await store.deliver([kit.item(thread.id, id)])
      })
      const drive = async () => {
        for (let quiet = 0; quiet < 50; quiet += 1) {
          const [claim] = await kit.claim('worker-1', { only: [thread.id] })
          if (claim === undefined) await new Promise((resolve) => setImmediate(resolve))
          else {
            quiet = 0
            taken.push(...(await consumeAll(store, kit.owner(claim))))
          }
        }
      }
      await Promise.all([...senders, drive()])
      assert.deepEqual(taken.toSorted(), [thread.first.id, ...sent].toSorted())
    }
  },
  {
    name: 'hints at the threads that were written to',
    async run({ store }, kit) {
      const told = new Set<string | null>()
      const listening = store.hint((thread) => {
        told.add(thread)
        throw new Error('a listener of bad manners')
      })
      const thread = await kit.start()
      await store.deliver([kit.item(thread.id, 'm1')])
      await new Promise((resolve) => setImmediate(resolve))
      assert.ok(told.has(thread.id))
      listening[Symbol.dispose]()
      told.clear()
      await store.deliver([kit.item(thread.id, 'm2')])
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual([...told], [])
    }
  }
]

/** Drives a thread as a worker does: takes what is there, and releases until the store lets go. */
async function consumeAll(store: Store, owner: Owner): Promise<readonly string[]> {
  const taken: string[] = []
  for (;;) {
    const consumed = (await store.pending(owner.claim.thread)).map((item) => item.id)
    const receipt = accepted(await owner.release({ facts: consumed.map(received), consumed }))
    taken.push(...consumed)
    if (!receipt.owned) return taken
  }
}
