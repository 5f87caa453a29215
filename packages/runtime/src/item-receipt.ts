import type { ItemReceipt } from './contracts/receipt.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { Fact } from './contracts/fact.ts'
import type { ItemId, ThreadId } from './contracts/ids.ts'
import type { Watcher } from './event-hub.ts'
import { failIfHopeless, LOOK_MS, readInfo, watchStore } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'

/** What has become of an item; with `wait`, once it is taken, returned or discarded. Throws `invalid_input` for one that was never accepted. */
export async function readReceipt(
  core: RuntimeCore,
  thread: ThreadId,
  item: ItemId,
  options: { readonly wait?: boolean; readonly signal?: AbortSignal }
): Promise<ItemReceipt> {
  // Watched before the first look: nothing that happens between the two is missed.
  using watcher = core.hub.watch(thread)
  using _hints = watchStore(core)
  const since = core.clock.monotonic()
  const signal = options.signal ?? new AbortController().signal
  for (;;) {
    signal.throwIfAborted()
    const info = await readInfo(core, thread)
    const receipt = await look(core, thread, item)
    if (receipt.state !== 'queued' || options.wait !== true) return receipt
    failIfHopeless(core, info, since)
    const seen = await watch(core, watcher, item, signal)
    if (seen) return seen
  }
}

async function look(core: RuntimeCore, thread: ThreadId, item: ItemId): Promise<ItemReceipt> {
  const accepted = (await core.store.items(thread)).find(({ id }) => id === item)
  if (!accepted) throw new HoldfastError('invalid_input', `the thread ${thread} has never accepted an item ${item}`)
  if (accepted.state !== 'consumed') return { item, state: 'queued' }
  const [commit] = await core.store.read(thread, accepted.takenIn, 1)
  const receipt = commit && toReceipt(item, commit)
  if (receipt) return receipt
  throw new HoldfastError('log_corrupt', `the commit ${accepted.takenIn} of ${thread} is said to have taken ${item} and does not name it`)
}

/** Waits until this process tells of the item, or until it is time to look again (undefined). */
async function watch(core: RuntimeCore, watcher: Watcher, item: ItemId, signal: AbortSignal): Promise<ItemReceipt | undefined> {
  for (;;) {
    await watcher.wait(core.clock, LOOK_MS, signal)
    if (watcher.isEmpty) return undefined
    for (let entry = watcher.take(); entry; entry = watcher.take()) {
      if (entry.kind === 'look') return undefined
      const receipt = entry.kind === 'commit' ? toReceipt(item, entry) : undefined
      if (receipt) return receipt
    }
  }
}

/** What a commit says of an item that it took: the first fact that names it (I10). */
function toReceipt(
  item: ItemId,
  { sequence, facts }: { readonly sequence: number; readonly facts: readonly Fact[] }
): ItemReceipt | undefined {
  const index = facts.findIndex(({ cause }) => cause === item)
  const fact = facts[index]
  if (!fact) return undefined
  const cursor = { sequence, index }
  if (fact.type === 'message.returned') return { item, state: 'returned', why: fact.why, cursor }
  if (fact.type === 'item.discarded') return { item, state: 'discarded', why: fact.why, cursor }
  return { item, state: 'taken', ...(fact.run === undefined ? {} : { run: fact.run }), cursor }
}
