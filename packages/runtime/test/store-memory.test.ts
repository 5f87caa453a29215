import { describe, test } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { runStoreCase, STORE_CASES } from '../src/testing/store-suite.ts'

describe.each([
  { how: 'plain', faulty: false },
  { how: 'with every call failing before and after its effect', faulty: true }
])('memory store, $how', ({ faulty }) => {
  for (const storeCase of STORE_CASES) {
    test.skipIf(storeCase.needs === 'handles')(storeCase.name, async () => {
      const clock = fakeClock()
      await runStoreCase(storeCase, { store: memoryStore({ clock }), clock }, { faulty })
    })
  }
})
