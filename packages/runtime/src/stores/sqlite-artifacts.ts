import type { DatabaseSync } from 'node:sqlite'
import type { ArtifactInfo, ArtifactQuery, ArtifactUse } from '../contracts/artifact.ts'
import { corruptArtifact, missingArtifact } from '../contracts/artifact-fault.ts'
import type { Digest, Ms, ThreadId } from '../contracts/ids.ts'
import type { Page } from '../contracts/query.ts'
import { digestBytes } from '../util/canonical.ts'
import { toPage, toPageLimit } from './page-cursor.ts'

/** The store's own artifacts, and who uses which; inside the open transaction. */
export interface ArtifactTable {
  put(tenant: string, given: { readonly digest: Digest; readonly bytes: Uint8Array }, now: Ms): Digest
  get(tenant: string, digest: Digest): Uint8Array
  info(tenant: string, digest: Digest): ArtifactInfo | null
  list(query: ArtifactQuery, now: Ms): Page<ArtifactInfo>
  /** Removes what was last put then or before. */
  remove(tenant: string, digest: Digest, until: Ms): boolean
  uses(tenant: string, digests: readonly Digest[], thread: ThreadId | undefined): readonly ArtifactUse[]
}

interface ArtifactRecord {
  readonly no: number
  readonly digest: Digest
  readonly at: Ms
  readonly size: number
}

/** Prepares the statements of artifacts. */
export function createArtifactTable(db: DatabaseSync): ArtifactTable {
  const find = db.prepare('SELECT no, digest, at, size FROM artifact WHERE tenant = ? AND digest = ?')
  const page = db.prepare('SELECT no, digest, at, size FROM artifact WHERE tenant = ? AND digest > ? AND at <= ? ORDER BY digest LIMIT ?')
  const read = db.prepare('SELECT bytes FROM artifact_bytes WHERE artifact = ?')
  const insert = db.prepare('INSERT INTO artifact (tenant, digest, at, size) VALUES (?, ?, ?, ?)')
  const renew = db.prepare('UPDATE artifact SET at = ? WHERE no = ?')
  const write = db.prepare('INSERT INTO artifact_bytes (artifact, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes')
  const drop = db.prepare('DELETE FROM artifact WHERE no = ?')
  const dropBytes = db.prepare('DELETE FROM artifact_bytes WHERE artifact = ?')
  const uses = db.prepare(
    `SELECT u.digest, u.threads, t.id AS thread FROM thread AS t JOIN (
      SELECT digest, count(*) AS threads, min(thread) AS first FROM artifact_use
      WHERE tenant = ? AND digest IN (SELECT value FROM json_each(?)) AND (?3 IS NULL OR thread = (SELECT no FROM thread WHERE id = ?3))
      GROUP BY digest) AS u ON t.no = u.first ORDER BY u.digest`
  )

  const bytesOf = (no: number): Uint8Array | undefined => read.get(no)?.['bytes'] as Uint8Array | undefined
  const recordOf = (tenant: string, digest: Digest): ArtifactRecord | undefined =>
    find.get(tenant, digest) as unknown as ArtifactRecord | undefined

  return {
    put(tenant, { digest, bytes }, now) {
      const known = recordOf(tenant, digest)
      if (known === undefined) write.run(insert.run(tenant, digest, now, bytes.length).lastInsertRowid, bytes)
      else {
        renew.run(now, known.no)
        if (!isSame(bytesOf(known.no), bytes)) write.run(known.no, bytes)
      }
      return digest
    },
    get(tenant, digest) {
      const known = recordOf(tenant, digest)
      if (known === undefined) throw missingArtifact(digest)
      const bytes = bytesOf(known.no)
      if (bytes === undefined || digestBytes(bytes) !== digest) throw corruptArtifact(digest)
      return bytes
    },
    info(tenant, digest) {
      const known = recordOf(tenant, digest)
      return known === undefined ? null : toInfo(known)
    },
    list({ tenant, olderThanMs, after = '', limit }, now) {
      const count = toPageLimit(limit)
      const until = olderThanMs === undefined ? Number.MAX_SAFE_INTEGER : now - olderThanMs
      const found = page.all(tenant, after, until, count + 1) as unknown as readonly ArtifactRecord[]
      return toPage(found, count, (last) => last.digest, toInfo)
    },
    remove(tenant, digest, until) {
      const known = recordOf(tenant, digest)
      if (known === undefined || known.at > until) return false
      dropBytes.run(known.no)
      drop.run(known.no)
      return true
    },
    uses(tenant, digests, thread) {
      const found = uses.all(tenant, JSON.stringify(digests), thread ?? null) as unknown as readonly ArtifactUse[]
      return found.map((use) => ({ ...use }))
    }
  }
}

function isSame(kept: Uint8Array | undefined, bytes: Uint8Array): boolean {
  return kept !== undefined && Buffer.compare(kept, bytes) === 0
}

function toInfo({ digest, at, size }: ArtifactRecord): ArtifactInfo {
  return { digest, bytes: size, at }
}
