import type { ImportReceipt } from './contracts/api.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { loadImportReader } from './transfer/libraries.ts'

/** Makes a thread from its export. */
export async function importThread(core: RuntimeCore, pieces: AsyncIterable<string> | Iterable<string>): Promise<ImportReceipt> {
  const { readImportedThread } = await loadImportReader()
  const thread = await readImportedThread(core.tenant, pieces)
  const state = await core.store.import(thread)
  if (state === 'conflict') {
    throw new HoldfastError(
      'conflict',
      `the store has another thread under the id ${thread.id}${thread.key === undefined ? '' : ` or the idempotency key ${thread.key}`}: nothing was imported`,
      { details: { thread: thread.id } }
    )
  }
  core.faults.delete(thread.id)
  return { thread: thread.id, state }
}
