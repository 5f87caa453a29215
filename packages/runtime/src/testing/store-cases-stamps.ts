import assert from 'node:assert/strict'
import { restingThread, takeOut } from './store-cases-transfer.ts'
import type { StoreCase } from './store-kit.ts'

/** Threads that are made from the past of others. */
export const stampCases: readonly StoreCase[] = [
  {
    name: 'stamps the new commits of an import by its own clock, and knows the same import by everything else',
    async run({ store, clock }, kit) {
      const { thread } = await restingThread(store, kit)
      const taken = await takeOut(store, thread)
      await store.remove(thread.id)
      const head = taken.commits.length
      const given = { ...taken, stampFrom: head }
      await clock.advance(5000)
      assert.equal(await store.import(given), kit.first('imported', 'repeated'))
      const stamps = (await store.read(thread.id, 1, 1_000_000)).map((commit) => commit.at)
      assert.deepEqual(
        stamps,
        taken.commits.map((commit) => (commit.sequence === head ? stamps[head - 1] : commit.at))
      )
      assert.ok((stamps[head - 1] ?? 0) >= (taken.commits[head - 1]?.at ?? 0) + 5000)
      assert.equal((await store.thread(thread.id))?.at, stamps[head - 1])
      await clock.advance(5000)
      assert.equal(await store.import(given), 'repeated')
      assert.equal(await store.import(taken), 'conflict')
    }
  }
]
