import { appendCases } from './store-cases-append.ts'
import { claimCases } from './store-cases-claims.ts'
import { feedCases } from './store-cases-feed.ts'
import { inboxCases } from './store-cases-inbox.ts'
import { threadCases } from './store-cases-threads.ts'
import { stampCases } from './store-cases-stamps.ts'
import { transferCases } from './store-cases-transfer.ts'
import { waitCases } from './store-cases-waits.ts'
import { artifactUseCases } from './store-cases-artifacts.ts'
import { createRota } from './fault-plan.ts'
import { faultyStore, repeatingStore } from './faulty-store.ts'
import type { StoreCase, StoreSubject } from './store-kit.ts'
import { createStoreKit } from './store-kit.ts'

/** The contract of `Store`, as data: run each case against a new, empty store with `runStoreCase`. */
export const STORE_CASES: readonly StoreCase[] = [
  ...threadCases,
  ...appendCases,
  ...inboxCases,
  ...claimCases,
  ...waitCases,
  ...feedCases,
  ...transferCases,
  ...stampCases,
  ...artifactUseCases
]

/** Runs one case. `faulty`: every call fails before its effect, then after it, and is repeated as callers must. */
export async function runStoreCase(
  storeCase: StoreCase,
  subject: StoreSubject,
  options: { readonly faulty?: boolean } = {}
): Promise<void> {
  const tested = options.faulty === true ? withFaults(subject) : subject
  await storeCase.run(tested, createStoreKit(tested))
}

function withFaults(subject: StoreSubject): StoreSubject {
  const wrap = (store: StoreSubject['store']) => repeatingStore(faultyStore(store, { fail: createRota(), failRead: createRota() }), 1000)
  const { open } = subject
  return {
    ...subject,
    store: wrap(subject.store),
    repeats: true,
    ...(open === undefined ? {} : { open: async () => wrap(await open()) })
  }
}
