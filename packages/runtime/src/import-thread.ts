import type { ImportReceipt } from './contracts/api.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { loadImportReader } from './transfer/libraries.ts'

/** Makes a thread from its export. */
export async function importThread(core: RuntimeCore, pieces: AsyncIterable<string> | Iterable<string>): Promise<ImportReceipt> {
  const { readImportedThread } = await loadImportReader()
  const { thread, publications } = await readImportedThread(core.tenant, pieces)
  // Every digest is of what stands there: it can be refused, not redacted.
  const { size } = core.secrets
  const names = size === 0 ? [] : core.secrets.namesIn(JSON.stringify([thread.key, publications, thread.commits, thread.items]))
  if (names.length > 0) {
    throw new HoldfastError('invalid_input', `the export holds a secret (${names.join(', ')}): nothing was imported`, {
      details: { secrets: names }
    })
  }
  // Those that its past names; a store keeps them by their digests.
  for (const publication of publications) if (publication.digest !== thread.publication.digest) await core.store.publish(publication)
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
