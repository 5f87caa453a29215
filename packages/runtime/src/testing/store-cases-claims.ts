import assert from 'node:assert/strict'
import { FORMAT } from '../contracts/fact.ts'
import type { StoreCase } from './store-kit.ts'
import { accepted, note, received } from './store-kit.ts'

const HOUR = 3_600_000

/** Which threads are handed out, to whom, and what a lease is worth (protocol §4, §5). */
export const claimCases: readonly StoreCase[] = [
  {
    name: 'hands a ready thread to one of many workers',
    async run({ store }, kit) {
      const thread = await kit.start()
      const claims = (await Promise.all(Array.from({ length: 8 }, (_, index) => kit.claim(`worker-${index}`)))).flat()
      // A claim that is repeated under the same worker hands the same thread out again, to nobody else. // B045
      assert.equal(new Set(claims.map((claim) => claim.attempt)).size, 1)
      const info = await store.thread(thread.id)
      assert.deepEqual([claims.length, info?.attempt], [1, claims[0]?.attempt])
      assert.equal(claims[0]?.sequence, 1)
    }
  },
  {
    name: 'raises the attempt with every claim and tells why',
    async run({ store, clock }, kit) {
      const thread = await kit.start()
      const first = await kit.own(thread)
      assert.equal(first.claim.why, kit.first('items', 'expired'))
      await clock.advance(kit.lease + 1)
      const second = await kit.seize(thread, 'worker-2')
      assert.equal(second.claim.why, 'expired')
      const third = await kit.seize(thread, 'worker-3', { takeover: true })
      assert.equal(third.claim.why, kit.first('takeover', 'expired'))
      accepted(await third.release({ timer: { inMs: 10 } }))
      await clock.advance(10)
      const fourth = await kit.seize(thread, 'worker-4')
      assert.equal(fourth.claim.why, kit.first('timer', 'expired'))
      const attempts = [first, second, third, fourth].map((owner) => owner.claim.attempt)
      assert.deepEqual(
        attempts,
        attempts.toSorted((a, b) => a - b)
      )
      assert.equal(new Set(attempts).size, 4)
      assert.deepEqual([first.claim.attempt >= 1, (await store.thread(thread.id))?.owner?.worker], [true, 'worker-4'])
    }
  },
  {
    name: 'leaves a live owner alone, whatever is in its inbox, until somebody takes over by name',
    async run({ store }, kit) {
      const thread = await kit.start()
      await kit.own(thread)
      await store.deliver([kit.item(thread.id, 'm1')])
      assert.deepEqual(await kit.claim('worker-2'), [])
      assert.deepEqual(await kit.claim('worker-2', { only: [thread.id] }), [])
      assert.deepEqual(await kit.claim('worker-2', { takeover: true }), [])
      const [claim] = await kit.claim('worker-2', { takeover: true, only: [thread.id] })
      assert.equal(claim?.thread, thread.id)
    }
  },
  {
    name: 'lets exactly one of several take over from the owner that all of them name',
    async run({ store }, kit) {
      const thread = await kit.start()
      await kit.own(thread)
      const { owner } = (await store.thread(thread.id)) ?? {}
      const takeover = owner?.worker ?? ''
      assert.deepEqual(await kit.claim('worker-2', { takeover: 'somebody-else', only: [thread.id] }), [])
      const claims = [
        ...(await kit.claim('worker-2', { takeover, only: [thread.id] })),
        ...(await kit.claim('worker-3', { takeover, only: [thread.id] }))
      ]
      assert.equal(claims.length, 1)
      assert.equal((await store.thread(thread.id))?.owner?.worker, 'worker-2')
    }
  },
  {
    name: 'keeps an owner live while its worker beats, and extends the lease with appends',
    async run({ store, clock }, kit) {
      const [quiet, busy] = [await kit.start(), await kit.start()]
      await kit.own(quiet)
      const owner = await kit.own(busy)
      for (let second = 0; second < 3; second += 1) {
        await clock.advance(kit.lease - 2000)
        const beat = await store.beat('worker-1', kit.lease, [quiet.id, busy.id])
        assert.deepEqual([beat.alive, beat.lost, beat.now], [true, [], clock.now()])
      }
      for (let second = 0; second < 3; second += 1) {
        await clock.advance(kit.lease - 2000)
        accepted(await owner.append())
      }
      // The lease belongs to the worker: the quiet thread lives by the appends of the busy one.
      assert.deepEqual(await kit.claim('worker-2'), [])
      assert.deepEqual((await store.thread(quiet.id))?.owner, { worker: 'worker-1', leaseUntil: clock.now() + kit.lease })
      await clock.advance(kit.lease)
      assert.equal((await store.thread(quiet.id))?.owner, undefined)
      assert.deepEqual(
        (await kit.claim('worker-2')).map((claim) => claim.why),
        ['expired', 'expired']
      )
    }
  },
  {
    name: 'tells a worker whose beat comes too late, for good, and hands it nothing any more', // B046
    async run({ store, clock }, kit) {
      const thread = await kit.start()
      await kit.own(thread)
      await clock.advance(kit.lease)
      assert.equal((await store.beat('worker-1', kit.lease, [thread.id])).alive, false)
      assert.equal((await store.beat('worker-1', kit.lease, [thread.id])).alive, false)
      assert.deepEqual(await kit.claim('worker-1'), [])
      const [claim] = await kit.claim('worker-2')
      assert.deepEqual([claim?.thread, claim?.why], [thread.id, 'expired'])
      assert.deepEqual((await store.beat('worker-1', kit.lease, [thread.id])).lost, [thread.id])
    }
  },
  {
    name: 'gives a worker nothing any more from whom a thread was taken because its lease ran out, and does not extend that lease', // I3 B045
    async run({ store, clock }, kit) {
      const [first, second] = [await kit.start(), await kit.start()]
      const kept = await kit.own(second)
      await kit.own(first)
      await clock.advance(kit.lease)
      assert.equal((await kit.claim('worker-2', { only: [first.id] })).length, 1)
      assert.deepEqual(await kit.claim('worker-1', { not: [first.id] }), [])
      // What it still owns it may write to, and that brings the lease back as little.
      assert.equal((await kept.append({ facts: [], then: 'release' })).ok, true)
      assert.equal((await store.beat('worker-1', kit.lease, [first.id])).alive, false)
    }
  },
  {
    name: 'brings back with a beat which own threads have fresh items and which were lost',
    async run({ store }, kit) {
      const threads = [await kit.start(), await kit.start(), await kit.start()] as const
      for (const thread of threads) await kit.own(thread)
      const ids = threads.map((thread) => thread.id)
      assert.deepEqual((await store.beat('worker-1', kit.lease, ids)).fresh, [])
      await store.deliver([kit.item(threads[1].id, 'm1')])
      await kit.seize(threads[2], 'worker-2', { takeover: true })
      const beat = await store.beat('worker-1', kit.lease, ids)
      assert.deepEqual([beat.alive, beat.fresh, beat.lost], [true, [threads[1].id], [threads[2].id]])
    }
  },
  {
    name: 'hands out again what the worker itself owns and does not drive, so that a lost answer costs nothing',
    async run(_, kit) {
      const thread = await kit.start()
      const [lost] = await kit.claim('worker-1')
      assert.deepEqual(await kit.claim('worker-1', { not: [thread.id] }), [])
      const [again] = await kit.claim('worker-1')
      assert.ok(lost !== undefined && again !== undefined)
      assert.deepEqual([again.thread, again.why, again.attempt > lost.attempt], [thread.id, 'expired', true])
    }
  },
  {
    name: 'honours only, not, max and the order of waiting',
    async run({ clock }, kit) {
      const threads = []
      for (let made = 0; made < 4; made += 1) {
        threads.push((await kit.start()).id)
        await clock.advance(1)
      }
      const [a = '', b = '', c = '', d = ''] = threads
      const ids = async (over: object) => (await kit.claim('worker-1', over)).map((claim) => claim.thread)
      assert.deepEqual(await ids({ only: [] }), [])
      assert.deepEqual(await ids({ only: [b, 'thr_none'] }), [b])
      assert.deepEqual(await ids({ max: 1, not: [a, b] }), [c])
      assert.deepEqual(await ids({ max: 0, not: [b, c] }), [])
      assert.deepEqual(await ids({ not: [b, c] }), [a, d])
    }
  },
  {
    name: 'hands a thread only to a worker that has all it needs and reads its format',
    async run(_, kit) {
      const thread = await kit.start({ row: kit.row({ needs: ['tool:search', 'tool:mail'] }) })
      const can = (needs: readonly string[], format = FORMAT) => ({ can: { format, needs } })
      assert.deepEqual(await kit.claim('worker-1', can([])), [])
      assert.deepEqual(await kit.claim('worker-1', { ...can(['tool:search']), only: [thread.id] }), [])
      assert.deepEqual(await kit.claim('worker-1', can(['tool:mail', 'tool:search'], FORMAT - 1)), [])
      const [claim] = await kit.claim('worker-1', can(['tool:mail', 'tool:search', 'tool:other']))
      assert.equal(claim?.thread, thread.id)
    }
  },
  {
    name: 'finds placeable threads behind many that are not',
    async run(_, kit) {
      for (let made = 0; made < 12; made += 1) await kit.start({ row: kit.row({ needs: ['tool:missing'] }) })
      const thread = await kit.start()
      assert.deepEqual(
        (await kit.claim('worker-1', { max: 1 })).map((claim) => claim.thread),
        [thread.id]
      )
    }
  },
  {
    name: 'judges timers by its own clock, with the clock of the process an hour off',
    async run({ store, clock }, kit) {
      for (const shift of [HOUR, -HOUR]) {
        const thread = await kit.start()
        const real = Date.now
        Date.now = () => clock.now() + shift
        try {
          const owner = await kit.own(thread)
          accepted(await owner.release({ timer: { inMs: 1000, at: clock.now() + 5000 } }))
          assert.equal((await store.thread(thread.id))?.timerAt, clock.now() + 1000)
          await clock.advance(999)
          assert.deepEqual(await kit.claim('worker-2', { only: [thread.id] }), [])
          await clock.advance(1)
          const [claim] = await kit.claim('worker-2', { only: [thread.id] })
          assert.deepEqual([claim?.thread, claim?.why], [thread.id, kit.first('timer', 'expired')])
        } finally {
          Date.now = real
        }
      }
    }
  },
  {
    name: 'keeps the earlier of two times, and none when the next commit sets none',
    async run({ store, clock }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      const timerAt = async () => (await store.thread(thread.id))?.timerAt
      accepted(await owner.append({ timer: { inMs: 9000, at: clock.now() + 5000 } }))
      assert.equal(await timerAt(), clock.now() + 5000)
      accepted(await owner.append({ timer: { inMs: 3_000_000_000 } }))
      assert.equal(await timerAt(), clock.now() + 3_000_000_000)
      accepted(await owner.append({ timer: {} }))
      assert.equal(await timerAt(), undefined)
      accepted(await owner.append({ timer: { inMs: 1 } }))
      accepted(await owner.release({ timer: null }))
      await clock.advance(HOUR)
      assert.deepEqual(await kit.claim('worker-2'), [])
    }
  },
  {
    name: 'counts attempts without progress, except those that ended with a release',
    async run({ store, clock, repeats }, kit) {
      const thread = await kit.start()
      const idle: number[] = []
      const crash = async () => {
        const owner = await kit.seize(thread, `worker-${idle.length}`)
        idle.push(owner.claim.idle)
        accepted(await owner.append({ facts: [note()] }))
        await clock.advance(kit.lease)
      }
      await crash()
      await crash()
      await crash()
      const owner = await kit.seize(thread, 'worker-x')
      idle.push(owner.claim.idle)
      accepted(await owner.append({ facts: [received(thread.first.id)], consumed: [thread.first.id], progress: true }))
      await clock.advance(kit.lease)
      await crash()
      await store.deliver([kit.item(thread.id, 'm1')])
      const calm = await kit.seize(thread, 'worker-y')
      idle.push(calm.claim.idle)
      accepted(await calm.release({ deferred: ['m1'] }))
      await store.deliver([kit.item(thread.id, 'm2')])
      idle.push((await kit.seize(thread, 'worker-z')).claim.idle)
      // Every claim whose answer was lost counts, too: with repeats the numbers are higher.
      if (repeats !== true) assert.deepEqual(idle, [0, 1, 2, 3, 0, 1, 1])
      assert.equal(
        idle.slice(0, 4).every((count, index) => count >= index),
        true
      )
      assert.ok((idle[4] ?? 9) < (idle[3] ?? 0))
    }
  }
]
