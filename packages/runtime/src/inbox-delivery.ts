import { HoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { Json } from './contracts/json.ts'
import type { ItemKind, NewItem } from './contracts/store.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { digestJson } from './util/canonical.ts'

/** An inbox item from this runtime's principal. */
export function toItem(core: RuntimeCore, thread: ThreadId, kind: ItemKind, id: string, body: Json): NewItem {
  return { id, thread, kind, from: core.principal, digest: digestJson([kind, '', body]), body }
}

/** Puts an item into an inbox. Throws `conflict` for another one under its id, `thread_not_found` where nothing is taken. */
export async function deliver(core: RuntimeCore, item: NewItem): Promise<'queued' | 'repeated'> {
  const [state] = await core.store.deliver([item])
  if (state === 'conflict') throw new HoldfastError('conflict', `another message was sent to ${item.thread} under the id ${item.id}`)
  if (state === 'refused')
    throw new HoldfastError('thread_not_found', `the thread ${item.thread} takes no messages: it was moved or removed`)
  core.faults.delete(item.thread)
  core.engine.wake(item.thread)
  return state === 'repeated' ? 'repeated' : 'queued'
}
