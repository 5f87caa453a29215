import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { runStoreCase, STORE_CASES } from '../src/testing/store-suite.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-store-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe.each([
  { how: 'plain, synced', faulty: false, durability: 'power' },
  { how: 'with every call failing before and after its effect', faulty: true, durability: 'process' }
] as const)('SQLite store, $how', ({ faulty, durability }) => {
  for (const storeCase of STORE_CASES) {
    test(storeCase.name, async () => {
      const clock = fakeClock()
      const handles: Store[] = []
      const open = async () => {
        const store = await sqliteStore(join(folder, 'store.db'), { clock, durability })
        handles.push(store)
        return store
      }
      try {
        await runStoreCase(storeCase, { store: await open(), open, clock }, { faulty })
      } finally {
        for (const handle of handles) await handle[Symbol.asyncDispose]()
      }
    })
  }
})
