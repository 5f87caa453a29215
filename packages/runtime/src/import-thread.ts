import type { ImportReceipt } from './contracts/api.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { RuntimeCore } from './runtime-core.ts'
import type { ThreadImport } from './transfer/imported-log.ts'
import { loadImportReader } from './transfer/libraries.ts'

/** Makes a thread from its export. */
export async function importThread(core: RuntimeCore, pieces: AsyncIterable<string> | Iterable<string>): Promise<ImportReceipt> {
  const { readImportedThread } = await loadImportReader()
  const { thread, publications, artifacts } = await readImportedThread(core.tenant, pieces)
  // Every digest is of what stands there: it can be refused, not redacted.
  const names = namesOfSecrets(core, { thread, publications, artifacts })
  if (names.length > 0) {
    throw new HoldfastError('invalid_input', `the export holds a secret (${names.join(', ')}): nothing was imported`, {
      details: { secrets: names }
    })
  }
  // Those that its past names; a store keeps them by their digests.
  for (const publication of publications) if (publication.digest !== thread.publication.digest) await core.store.publish(publication)
  for (const bytes of artifacts) await core.bodies.artifacts.put(core.tenant, bytes)
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

function namesOfSecrets({ secrets }: RuntimeCore, { thread, publications, artifacts }: ThreadImport): readonly string[] {
  if (secrets.size === 0) return []
  const kept = JSON.stringify([thread.key, publications, thread.commits, thread.items])
  return [...new Set([kept, ...artifacts.map((bytes) => new TextDecoder().decode(bytes))].flatMap((text) => secrets.namesIn(text)))]
}
