import type { ArtifactInfo, ArtifactStore, ArtifactUse } from '../contracts/artifact.ts'
import { corruptArtifact, missingArtifact } from '../contracts/artifact-fault.ts'
import type { Clock } from '../contracts/clock.ts'
import type { Digest, Ms, ThreadId } from '../contracts/ids.ts'
import { digestBytes } from '../util/canonical.ts'
import type { MemoryDatabase } from './memory-database.ts'
import { tenantKey } from './memory-database.ts'
import { toPage, toPageLimit } from './page-cursor.ts'

/** Makes a method of a memory store out of one synchronous step. */
export type Once = <Arguments extends readonly unknown[], Result>(
  step: (...given: Arguments) => Result
) => (...given: Arguments) => Promise<Result>

interface MemoryArtifact {
  readonly tenant: string
  readonly digest: Digest
  readonly bytes: Uint8Array
  at: Ms
}

/** The artifacts of a memory store. */
export function memoryArtifacts(clock: Pick<Clock, 'now'>, once: Once): ArtifactStore {
  const kept = new Map<string, MemoryArtifact>()
  return {
    put: once((tenant, given) => {
      const digest = digestBytes(given)
      const known = kept.get(tenantKey(tenant, digest))
      if (known) known.at = clock.now()
      else kept.set(tenantKey(tenant, digest), { tenant, digest, bytes: given.slice(), at: clock.now() })
      return digest
    }),
    get: once((tenant, digest) => {
      const known = kept.get(tenantKey(tenant, digest))
      if (known === undefined) throw missingArtifact(digest)
      if (digestBytes(known.bytes) !== digest) throw corruptArtifact(digest)
      return known.bytes.slice()
    }),
    info: once((tenant, digest) => {
      const known = kept.get(tenantKey(tenant, digest))
      return known === undefined ? null : toInfo(known)
    }),
    list: once(({ tenant, olderThanMs, after = '', limit }) => {
      const until = olderThanMs === undefined ? Infinity : clock.now() - olderThanMs
      const found = [...kept.values()]
        .filter((each) => each.tenant === tenant && each.digest > after && each.at <= until)
        .sort((a, b) => (a.digest < b.digest ? -1 : 1))
      return toPage(found, toPageLimit(limit), (last) => last.digest, toInfo)
    }),
    remove: once((tenant, digest, { olderThanMs }) => {
      const known = kept.get(tenantKey(tenant, digest))
      return known !== undefined && known.at <= clock.now() - olderThanMs && kept.delete(tenantKey(tenant, digest))
    })
  }
}

/** Which of these artifacts commits name. */
export function listArtifactUses(
  db: MemoryDatabase,
  tenant: string,
  digests: readonly Digest[],
  only: ThreadId | undefined
): readonly ArtifactUse[] {
  const threads = [...db.threads.values()].filter((thread) => thread.tenant === tenant && thread.id === (only ?? thread.id))
  return [...new Set(digests)].sort().flatMap((digest) => {
    const users = threads.filter((thread) => thread.artifacts.has(digest))
    return users[0] === undefined ? [] : [{ digest, threads: users.length, thread: users[0].id }]
  })
}

function toInfo({ digest, bytes, at }: MemoryArtifact): ArtifactInfo {
  return { digest, bytes: bytes.length, at }
}
