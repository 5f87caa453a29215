import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { HoldfastError } from '../src/contracts/errors.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { agentOf, latch, recordingModel, runtimeFor, toolOf, until, within } from './runtime-kit.ts'

/** A store that answers some of its methods in another way. */
function changed(store: Store, over: Partial<Store>): Store {
  return { ...store, ...over }
}

test('drives every thread that is started while all places are taken', async () => {
  const inner = memoryStore()
  // Places become free while the engine looks at threads that it could not claim.
  const store = changed(inner, {
    thread: async (id) => {
      await sleep(1)
      return inner.thread(id)
    }
  })
  const runtime = runtimeFor(
    recordingModel(() => ({ text: 'done' })),
    { store, concurrency: 2 }
  )
  const runs = await Promise.all(Array.from({ length: 30 }, () => runtime.start(agentOf(), { input: 'go' })))
  const results = await within(Promise.all(runs.map((run) => run.settled())))
  expect(new Set(results.map((result) => result.status))).toEqual(new Set(['completed']))
})

test('does not forget a thread that is asked for while it looks whether an earlier asking is answered', async () => {
  const inner = memoryStore()
  const looking = latch()
  const look = latch()
  let claims = Number.NEGATIVE_INFINITY
  const store = changed(inner, {
    claim: async (request) => {
      claims++
      return inner.claim(request)
    },
    thread: async (id) => {
      const info = await inner.thread(id)
      if (claims !== 2) return info
      claims = Number.NEGATIVE_INFINITY
      looking.open()
      await look.opened
      return info
    }
  })
  const runtime = runtimeFor(
    recordingModel(() => ({ text: 'done' })),
    { store }
  )
  const run = await runtime.start(agentOf(), { input: 'go' })
  await within(run.settled())
  // Nothing is to be done: it claims for the request, claims for its list, and then looks whether to strike the thread off.
  claims = 0
  await run.resume()
  await within(looking.opened)
  await run.message('again')
  look.open()
  await until(async () => (await inner.runs(run.id)).length === 2)
})

test('pauses before it drives a thread again that cannot be driven, and drives the others', async () => {
  const inner = memoryStore()
  let broken = ''
  let claims = 0
  const store = changed(inner, {
    pending: async (thread) => {
      if (thread !== broken) return inner.pending(thread)
      claims++
      throw new HoldfastError('log_corrupt', 'broken')
    }
  })
  const starter = runtimeFor(
    recordingModel(() => ({ text: 'done' })),
    { store, concurrency: 0 }
  )
  broken = (await starter.start(agentOf(), { input: 'go' })).id
  const runtime = runtimeFor(
    recordingModel(() => ({ text: 'done' })),
    { store, recover: true }
  )
  const run = await runtime.start(agentOf(), { input: 'go' })
  expect((await within(run.settled())).status).toBe('completed')
  await until(() => claims > 0)
  await sleep(300)
  expect(claims).toBeLessThan(5)
})

test('aborts what runs when its results cannot be stored', async () => {
  const inner = memoryStore()
  let isBroken = false
  const store = changed(inner, {
    append: async (request) => {
      if (isBroken) throw new HoldfastError('store_corrupt', 'broken')
      return inner.append(request)
    }
  })
  const begun = latch()
  const aborted = latch()
  const slow = toolOf('slow', async (_, { signal }) => {
    signal.addEventListener('abort', () => aborted.open())
    begun.open()
    await aborted.opened
  })
  const quick = toolOf('quick', async () => {
    await begun.opened
    isBroken = true
  })
  const runtime = runtimeFor(
    recordingModel(() => ({ toolCalls: [{ name: 'slow' }, { name: 'quick' }] })),
    { store }
  )
  const run = await runtime.start(agentOf({ tools: [slow, quick] }), { input: 'go' })
  await expect(within(run.settled())).rejects.toMatchObject({ code: 'store_corrupt' })
  await within(aborted.opened)
})

test('outlives a logger that throws', async () => {
  const inner = memoryStore()
  let isBroken = true
  const store = changed(inner, {
    pending: async (thread) => {
      if (isBroken) throw new HoldfastError('log_corrupt', 'broken')
      return inner.pending(thread)
    }
  })
  const fail = (): never => {
    throw new Error('no space left for logs')
  }
  const runtime = runtimeFor(
    recordingModel(() => ({ text: 'done' })),
    { store, logger: { debug: fail, info: fail, warn: fail, error: fail } }
  )
  const run = await runtime.start(agentOf(), { input: 'go' })
  await expect(within(run.settled())).rejects.toMatchObject({ code: 'log_corrupt' })
  isBroken = false
  await run.resume()
  expect((await within(run.settled())).status).toBe('completed')
})
