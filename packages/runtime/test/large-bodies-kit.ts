import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { fileArtifacts } from '../src/artifacts/file-artifacts.ts'
import type { Runtime } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { ArtifactStore } from '../src/contracts/artifact.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, folder, recordingModel, toolOf, within } from './runtime-kit.ts'

/** The shortest age at which something is collected. */
export const DAY_MS = 86_400_000

/** Where a thread lives, and how another process gets there. */
export interface Place {
  open(): Promise<{ readonly store: Store; readonly artifacts?: ArtifactStore }>
}

/** Where a thread may live, by name. */
export const PLACES: { readonly [name: string]: (clock?: FakeClock) => Promise<Place> } = {
  async memory(clock) {
    const store = memoryStore(clock ? { clock } : {})
    return { open: async () => ({ store }) }
  },
  async SQLite(clock) {
    const path = join(await folder(), 'store.db')
    return { open: async () => ({ store: await sqlite(path, clock) }) }
  },
  async 'SQLite and files'(clock) {
    const path = await folder()
    return {
      open: async () => ({
        store: await sqlite(join(path, 'store.db'), clock),
        artifacts: fileArtifacts(join(path, 'artifacts'), clock ? { clock } : {})
      })
    }
  }
}

/** A SQLite store that is closed with the test. */
export async function sqlite(path: string, clock: FakeClock | undefined): Promise<Store> {
  const store = await sqliteStore(path, { durability: 'process', ...(clock ? { clock } : {}) })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

/** Each is larger than what stays in a commit. */
export const QUESTION = 'q"\u20ac\n'.repeat(60_000)
export const NOTE = 'n'.repeat(70_000)
export const RESULT = 'r'.repeat(5_000_000)
export const ANSWER = 'a'.repeat(150_000)

/** A model that calls once and answers at length, then briefly. */
export function talkative(): RecordingModel {
  return recordingModel(({ answers }) =>
    answers === 0 ? { toolCalls: [{ name: 'get', arguments: { note: NOTE } }] } : { text: answers === 1 ? ANSWER : 'short' }
  )
}

/** A tool whose result the model is shown whole. */
export const get = toolOf('get', () => RESULT, { effect: 'read', maxResultLength: 6_000_000 })
/** An agent that calls it. */
export const AGENT = agentOf({ tools: ['get'], variables: [{ key: 'big', type: 'string', value: '' }] })

/** A run in which everything is large. */
export async function converse(runtime: Runtime, key = 'k'): Promise<ThreadHandle> {
  const handle = await runtime.start(AGENT, { input: QUESTION, variables: { big: NOTE }, idempotencyKey: key })
  expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: ANSWER })
  return handle
}

/** All that comes. */
export async function readAll<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const each of source) all.push(each)
  return all
}

/** The artifacts that a store keeps itself. */
export async function everyDigest(store: Pick<Store, 'artifacts'>): Promise<readonly string[]> {
  return (await store.artifacts.list({ tenant: 'default', limit: 1000 })).items.map((item) => item.digest)
}
