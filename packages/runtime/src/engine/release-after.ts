import type { Ms } from '../contracts/ids.ts'
import type { Claim } from '../contracts/claim.ts'
import type { EngineStore } from './engine-options.ts'

/**
 * Releases a thread whose drive ended with an error, in a commit without facts: its worker lives on and would keep it from every other.
 * It is ready again after the pause, for whoever may be able to drive it. Throws what the store throws.
 */
export async function releaseAfter(store: EngineStore, claim: Claim, pauseMs: Ms): Promise<void> {
  let isKept = true
  // Refused for an item that has just come: again.
  while (isKept) isKept = await isKeptBy(store, claim, pauseMs)
}

/** Whether the thread still has its owner after one try. */
async function isKeptBy(store: EngineStore, claim: Claim, pauseMs: Ms): Promise<boolean> {
  const info = await store.thread(claim.thread)
  // A lease that is over may come to life again by a claim: only another attempt takes the thread away.
  if (info?.attempt !== claim.attempt) return false
  // A release is refused while a fresh item is there; the timer wakes in place of these.
  const items = await store.pending(claim.thread)
  const receipt = await store.append({
    tenant: claim.tenant,
    thread: claim.thread,
    attempt: claim.attempt,
    expectedSequence: info.head,
    facts: [],
    consumed: [],
    deferred: items.filter((item) => item.state === 'fresh').map((item) => item.id),
    send: [],
    spawn: [],
    open: [],
    close: [],
    artifacts: [],
    row: info.row,
    timer: { inMs: pauseMs },
    progress: false,
    sync: 'now',
    then: 'release'
  })
  return receipt.ok && receipt.owned
}
