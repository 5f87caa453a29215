import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Publication } from '../src/contracts/publication.ts'
import type { Store } from '../src/contracts/store.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { Crash, CrashTrial } from '../src/testing/crash-matrix.ts'
import { runCrashMatrix } from '../src/testing/crash-matrix.ts'
import { agentOf, recordingModel, toolOf } from './runtime-kit.ts'

const NAMES = ['one', 'two', 'three']

function publicationOf(name: string): Publication {
  return { digest: `sha256:${name}`, definition: { name } } as unknown as Publication
}

async function namesIn(store: Store): Promise<readonly string[]> {
  const found = await Promise.all(NAMES.map((name) => store.publication(`sha256:${name}`)))
  return NAMES.filter((_, index) => found[index] !== null)
}

/** A process that publishes one after the other, and says what stood there when it began. */
function publishing(store: Store, over: Partial<CrashTrial<readonly string[]>> = {}): CrashTrial<readonly string[]> {
  return {
    store,
    async run({ store: mine }) {
      const before = await namesIn(mine)
      for (const name of NAMES) await mine.publish(publicationOf(name))
      return before
    },
    check: () => {},
    ...over
  }
}

test('tries each write of a process with both sides of it, and the next one finds what was written', async () => {
  const tried: { readonly crash: Crash | null; readonly found: readonly string[] }[] = []
  const matrix = await runCrashMatrix(() =>
    publishing(memoryStore(), {
      check({ crash, ending: found, undisturbed }) {
        expect(undisturbed).toEqual([])
        tried.push({ crash, found })
      }
    })
  )
  expect(matrix).toEqual({ writes: 3, crashes: 6 })
  const at = (write: number, point: 'before' | 'after', found: readonly string[]) => ({
    crash: { write, method: 'publish', point },
    found
  })
  expect(tried).toEqual([
    { crash: null, found: [] },
    at(1, 'before', []),
    at(1, 'after', ['one']),
    at(2, 'before', ['one']),
    at(2, 'after', ['one', 'two']),
    at(3, 'before', ['one', 'two']),
    at(3, 'after', ['one', 'two', 'three'])
  ])
})

test('lets a write that has reached the store end before the next process looks', async () => {
  const slow = (): Store => {
    const store = memoryStore()
    const publish: Store['publish'] = async (publication) => {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn()
      await store.publish(publication)
    }
    return { ...store, publish }
  }
  let found: readonly string[] = []
  const matrix = await runCrashMatrix(() =>
    publishing(slow(), {
      check({ crash, ending }) {
        if (crash?.point === 'after') found = ending
      }
    })
  )
  expect(matrix).toEqual({ writes: 3, crashes: 6 })
  expect(found).toEqual(NAMES)
})

test('finds a tool that says that it may be repeated and may not', async () => {
  const twice: (Crash | null)[] = []
  await runCrashMatrix(() => {
    let charged = 0
    const charge = toolOf('charge', () => (charged += 1), { effect: 'read' })
    return {
      store: memoryStore(),
      async run({ store, recovering }) {
        const main = recordingModel(({ answers }) =>
          answers === 0 ? { toolCalls: [{ name: 'charge', arguments: {} }] } : { text: 'done' }
        )
        await using runtime = createRuntime({ store, tools: [charge], models: { main } })
        const run = await runtime.start(agentOf({ tools: ['charge'] }), { input: 'charge it', idempotencyKey: 'order' })
        if (recovering) await run.resume({ takeover: true })
        return (await run.settled()).status
      },
      check({ crash, ending }) {
        expect(ending).toBe('completed')
        if (charged > 1) twice.push(crash)
      }
    }
  })
  expect(twice.length).toBeGreaterThan(0)
  expect(twice.every((crash) => crash?.method === 'append')).toBe(true)
})

test('throws what a check throws, with the place of the crash', async () => {
  const fault = new Error('not so')
  const matrix = runCrashMatrix(() =>
    publishing(memoryStore(), {
      check({ crash }) {
        if (crash?.write === 2 && crash.point === 'after') throw fault
      }
    })
  )
  await expect(matrix).rejects.toBe(fault)
  expect(fault.message).toContain('write 2 (publish), after')
})

test('throws what the process throws that nothing disturbs, and the one that goes on', async () => {
  const first = runCrashMatrix(() => publishing(memoryStore(), { run: () => Promise.reject(new TypeError('first')) }))
  await expect(first).rejects.toBeInstanceOf(TypeError)
  const second = runCrashMatrix(() => {
    const { run, ...trial } = publishing(memoryStore())
    return { ...trial, run: (process) => (process.recovering ? Promise.reject(new RangeError('second')) : run(process)) }
  })
  await expect(second).rejects.toBeInstanceOf(RangeError)
})

test('counts only trials in which the process died', async () => {
  let trials = 0
  const matrix = await runCrashMatrix(() => {
    trials += 1
    const count = trials === 1 ? 3 : 1
    return publishing(memoryStore(), {
      async run({ store }) {
        for (const name of NAMES.slice(0, count)) await store.publish(publicationOf(name))
        return []
      }
    })
  })
  expect(matrix).toEqual({ writes: 3, crashes: 2 })
})

test('disposes of every store that a trial gave it', async () => {
  let open = 0
  const counted = (): Store => {
    open += 1
    const store = memoryStore()
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        open -= 1
        await store[Symbol.asyncDispose]()
      }
    }
  }
  const { crashes } = await runCrashMatrix(() => publishing(counted(), { open: counted }))
  expect([crashes, open]).toEqual([6, 0])
})
