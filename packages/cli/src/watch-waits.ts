import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@holdfast/runtime'
import type { ListedWait } from './list-waits.ts'

/** How often it is looked when no hint comes, and how often at most. */
const LOOK_MS = 2_000
const REST_MS = 200

/** Gives each open wait once, when it is seen first, until the signal comes. */
export async function* watchWaits(
  store: Pick<Store, 'hint'>,
  list: () => Promise<readonly ListedWait[]>,
  signal: AbortSignal
): AsyncGenerator<ListedWait> {
  let seen: ReadonlySet<string> = new Set()
  let hinted = Promise.withResolvers<void>()
  using _ = store.hint(() => hinted.resolve())
  while (!signal.aborted) {
    hinted = Promise.withResolvers<void>()
    const open = (await list()).filter((wait) => wait.state === 'open')
    for (const wait of open) if (!seen.has(wait.id)) yield wait
    seen = new Set(open.map(({ id }) => id))
    const over = new AbortController()
    const stop = AbortSignal.any([signal, over.signal])
    await Promise.race([hinted.promise, sleep(LOOK_MS, undefined, { signal: stop }).catch(() => undefined)])
    over.abort()
    await sleep(REST_MS, undefined, { signal }).catch(() => undefined)
  }
}
