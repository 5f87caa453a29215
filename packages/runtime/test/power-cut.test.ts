// Protocol §10: what a power cut may take from a store that syncs. The file and its -wal are copied as the disk would hold them: the -wal only
// as far as it was synced.
import { closeSync, copyFileSync, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Effect, Fact } from '../src/contracts/fact.ts'
import type { AppendRequest, Store } from '../src/contracts/store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import type { FaultPoint } from '../src/testing/fault-plan.ts'
import { faultyStore } from '../src/testing/faulty-store.ts'
import type { Crashed } from './crash/checks.ts'
import { checkOnce, checkRepeated, expectEach, look, ONCE, REPEATABLE } from './crash/checks.ts'
import type { Ending, World } from './crash/scenario.ts'
import { converse, startProcess, toComparable } from './crash/scenario.ts'
import { folder, latch, within } from './runtime-kit.ts'

const KEY = 'cut'
const READ: typeof REPEATABLE = { weigh: 'read', price: 'read', stock: 'read', broken: 'read', hang: 'read' }

/** A disk that knows how much of the store's -wal would be left if the power went. */
interface Disk {
  readonly store: Store
  /** Writes what would be left into a new file and gives its path. */
  cut(): string
}

async function openDisk(path: string, clock: FakeClock): Promise<Disk> {
  const store = await open(path, clock)
  let synced = sizeOf(`${path}-wal`)
  let cuts = 0
  const write =
    <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>, mayLag: (...given: Given) => boolean) =>
    async (...given: Given): Promise<Result> => {
      const result = await call(...given)
      if (!mayLag(...given)) synced = sizeOf(`${path}-wal`)
      return result
    }
  const never = () => false
  return {
    store: {
      ...store,
      publish: write(store.publish, never),
      create: write(store.create, never),
      append: write(store.append, (request: AppendRequest) => request.sync === 'later'),
      deliver: write(store.deliver, never),
      decide: write(store.decide, never),
      beat: write(store.beat, never),
      claim: write(store.claim, never)
    },
    cut() {
      cuts += 1
      const copy = `${path}.cut-${cuts}`
      copyFileSync(path, copy)
      writeFileSync(`${copy}-wal`, readStart(`${path}-wal`, synced))
      return copy
    }
  }
}

async function open(path: string, clock: FakeClock): Promise<Store> {
  const store = await sqliteStore(path, { clock })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function readStart(path: string, bytes: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(bytes)
    expect(readSync(file, start, 0, bytes, 0)).toBe(bytes)
    return start
  } finally {
    closeSync(file)
  }
}

interface Cut extends Crashed {
  /** What the log held when the power went. */
  readonly held: readonly Fact[]
}

/** A conversation without a fault: what it leaves, and how often it wrote. */
async function runUndisturbed(effects: { readonly [tool: string]: Effect }): Promise<Ending & { readonly writes: number }> {
  const clock = fakeClock()
  const store = faultyStore(await open(join(await folder(), 'holdfast.db'), clock))
  const process = startProcess(store, clock, { begun: [], prompts: [] }, effects)
  const ending = await within(converse(process, KEY, { takeover: false }))
  const { writes } = store
  await process.runtime.close()
  return { ...ending, writes }
}

/** The same with the power going at one of the writes, before or after its commit, and a process that goes on with what the disk has. */
async function runCut(effects: { readonly [tool: string]: Effect }, at: number, point: FaultPoint): Promise<Cut> {
  const clock = fakeClock()
  const disk = await openDisk(join(await folder(), 'holdfast.db'), clock)
  const world: World = { begun: [], prompts: [] }
  const dead = latch()
  const store = faultyStore(disk.store, {
    fail({ index }) {
      if (index !== at) return null
      store.die()
      dead.open()
      return point
    }
  })
  const process = startProcess(store, clock, world, effects)
  converse(process, KEY, { takeover: false }).catch(() => {})
  await within(dead.opened)
  const first = world.begun.splice(0)
  // What was handed over is written before the power goes.
  await look(disk.store, KEY)
  const held = (await look(disk.store, KEY)).before
  const left = await open(disk.cut(), clock)
  const { before, pending } = await look(left, KEY)
  const next = startProcess(left, clock, world, effects)
  const ending = await within(converse(next, KEY, { takeover: true }))
  const second = world.begun.slice()
  // The dead process ends in its own time.
  await clock.advance(60_000)
  await process.runtime.close()
  await next.runtime.close()
  return { ...ending, held, before, pending, first, second }
}

async function sweep(effects: { readonly [tool: string]: Effect }, writes: number, check: (cut: Cut) => void): Promise<void> {
  for (let at = 1; at <= writes; at++) {
    for (const point of ['before', 'after'] as const) {
      const cut = await runCut(effects, at, point).catch((error: unknown) => {
        throw new Error(`write ${at}, ${point} its effect`, { cause: error })
      })
      expectEach(`write ${at}, ${point} its effect`, () => check(cut))
    }
  }
}

/** The facts that the cut took: the end of the log. */
function lostOf({ held, before }: Cut): readonly Fact[] {
  expect(held.slice(0, before.length)).toEqual(before)
  return held.slice(before.length)
}

describe('a power cut at any write of a store that syncs', () => {
  test.each([
    { name: 'only read', effects: READ, losses: 8 },
    { name: 'may be repeated', effects: REPEATABLE, losses: 2 }
  ])(
    'takes at most the last answer, and the conversation ends as if nothing had been, with tools that $name',
    async ({ effects, losses }) => {
      const undisturbed = await runUndisturbed(effects)
      const expected = toComparable(undisturbed)
      let lost = 0
      await sweep(effects, undisturbed.writes, (cut) => {
        const facts = lostOf(cut)
        if (facts.length > 0) lost += 1
        expect(facts.filter((fact) => fact.type === 'model.responded').length).toBe(facts.length > 0 ? 1 : 0)
        for (const fact of facts) {
          expect(['model.responded', 'call.gated', 'call.started']).toContain(fact.type)
          if (fact.type === 'call.started') expect(fact.effect).toBe('read')
        }
        expect(toComparable(cut)).toEqual(expected)
        checkRepeated(cut)
      })
      // Each answer that may be lost is, twice at least: when the power goes behind its write, and before the next one.
      expect(lost).toBeGreaterThanOrEqual(losses)
    }
  )

  test('takes nothing, with tools that must not be repeated', async () => {
    const undisturbed = await runUndisturbed(ONCE)
    await sweep(ONCE, undisturbed.writes, (cut) => {
      expect(lostOf(cut)).toEqual([])
      expect(cut.ends.map((end) => end.status)).toEqual(['completed', 'completed'])
      checkOnce(cut)
    })
  })
})
