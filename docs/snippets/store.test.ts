import { test } from 'node:test'
import { memoryStore } from '@holdfast/runtime'
import { fakeClock, runStoreCase, STORE_CASES } from '@holdfast/runtime/testing'

// Put your own store in place of memoryStore. Cases that need several handles on the same data take `open`, too.
for (const storeCase of STORE_CASES.filter(({ needs }) => needs === undefined)) {
  test(storeCase.name, async () => {
    const clock = fakeClock()
    await runStoreCase(storeCase, { store: memoryStore({ clock }), clock })
  })
}
