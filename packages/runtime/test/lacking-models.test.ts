import { describe, expect, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { Ledger } from './approval-kit.ts'
import { leftHeld, pay, paying, runtimeOf } from './approval-kit.ts'
import { refusalOf } from './refusal.ts'
import { agentOf, outcomesOf, recordingModel, until, within } from './runtime-kit.ts'

const NO_MODEL = ['model:main']

/** A thread whose payment is approved, and which nobody has driven on. */
async function approved() {
  const store = memoryStore()
  const ledger: Ledger = { ran: [] }
  const { thread, wait } = await leftHeld(store, ledger)
  await runtimeOf(store, { concurrency: 0 }).approve(wait)
  return { store, ledger, thread, tools: [pay(ledger)] }
}

describe('a thread whose models are not here', () => {
  test('is not resumed and stays as it is, and goes on where they are', async () => {
    const { store, ledger, thread, tools } = await approved()
    const before = await store.thread(thread)
    const { details } = await refusalOf('thread_unplaceable', () => runtimeOf(store, { tools, models: {} }).thread(thread).resume())
    expect(details).toEqual({ missing: NO_MODEL })
    expect(await store.thread(thread)).toEqual(before)
    expect(ledger.ran).toEqual([])
    const there = runtimeOf(store, paying(ledger)).thread(thread)
    await there.resume()
    expect(await within(there.settled())).toMatchObject({ status: 'completed' })
    expect(await outcomesOf(there)).toEqual(['ok'])
    expect(ledger.ran).toHaveLength(1)
  })

  test('is let go by a worker that recovers, which says why', async () => {
    const { store, ledger, thread, tools } = await approved()
    const told: string[] = []
    const note = (message: string): void => void told.push(message)
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: note }
    const worker = runtimeOf(store, { tools, models: {}, recover: true, logger })
    await until(() => told.length > 0)
    const { details } = await refusalOf('thread_unplaceable', () => within(worker.thread(thread).settled()))
    expect(details).toEqual({ missing: NO_MODEL })
    expect(await worker.thread(thread).info()).toMatchObject({ row: { status: 'waiting' }, pending: 1 })
    expect(ledger.ran).toEqual([])
    await worker.close({ graceMs: 0 })
    const there = runtimeOf(store, paying(ledger)).thread(thread)
    await there.resume()
    // After the pause that the worker left.
    await until(async () => (await there.info()).row.status === 'completed')
    expect(ledger.ran).toHaveLength(1)
  })

  test('is cancelled without them', async () => {
    const { store, ledger, thread, tools } = await approved()
    const handle = runtimeOf(store, { tools, models: {} }).thread(thread)
    await handle.cancel({ reason: 'no model' })
    expect(await within(handle.settled())).toMatchObject({ status: 'cancelled' })
    expect(ledger.ran).toEqual([])
  })
})

describe('a thread is driven by a runtime', () => {
  test('that has one of its models', async () => {
    const store = memoryStore()
    const small = recordingModel(() => ({ text: 'done' }))
    const model = { ref: 'main', fallbacks: [{ ref: 'small' }] }
    const first = await runtimeOf(store, { models: { main: small, small } }).start(agentOf({ model }), { input: 'go' })
    await within(first.settled())
    for (const name of ['main', 'small']) {
      const handle = runtimeOf(store, { models: { [name]: small } }).thread(first.thread)
      await handle.message('more')
      expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    }
  })

  test('whose models are a function, which cannot be asked what it knows', async () => {
    const { store, ledger, thread, tools } = await approved()
    const handle = runtimeOf(store, { tools, models: () => paying(ledger).models.main }).thread(thread)
    await handle.resume()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
  })
})
