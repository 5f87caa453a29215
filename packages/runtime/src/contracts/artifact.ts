import type { Digest, Ms, ThreadId } from './ids.ts'
import type { Page } from './query.ts'

/** An artifact as lists show it. */
export interface ArtifactInfo {
  readonly digest: Digest
  readonly bytes: number
  /** When it was last put, on the clock of its store. */
  readonly at: Ms
}

/** What a list of artifacts is filtered by. In the order of their digests. */
export interface ArtifactQuery {
  readonly tenant: string
  /** Only those that were not put for as long. */
  readonly olderThanMs?: Ms
  readonly after?: string
  readonly limit?: number
}

/** How many threads name an artifact, and one of them. */
export interface ArtifactUse {
  readonly digest: Digest
  readonly threads: number
  readonly thread: ThreadId
}

/**
 * Bytes under their digest, apart for each tenant. They are put first, then a commit names them; what no commit names is removed when it has
 * not been put for a day.
 *
 * **Contract** of every method: atomic and idempotent; throws only `store_unavailable` or `store_full` (`HoldfastError`), and then the outcome
 * is unknown: repeat it; `store_closed` once it has been closed; and what is said below. Many processes may use it at once.
 */
export interface ArtifactStore {
  /**
   * Keeps bytes, as safe from a power cut as a commit is when it is acknowledged, before it resolves. Bytes that are there get a new age, so that
   * a commit may name them for another day; when what is there is damaged it is replaced.
   */
  put(tenant: string, bytes: Uint8Array): Promise<Digest>
  /** The bytes of a digest, compared with it. Throws `artifact_missing`, and `artifact_corrupt` for bytes that it is not of (details: `digest`). */
  get(tenant: string, digest: Digest): Promise<Uint8Array>
  /** What is known of an artifact without reading it, or null. */
  info(tenant: string, digest: Digest): Promise<ArtifactInfo | null>
  list(query: ArtifactQuery): Promise<Page<ArtifactInfo>>
  /**
   * Removes what was not put for as long; false when it was put since, or is not there. A put at the same time either finds it gone and keeps its
   * own bytes, or keeps it from being removed. Whether a commit names it the caller knows (`Store.artifactUses`, asked before).
   */
  remove(tenant: string, digest: Digest, options: { readonly olderThanMs: Ms }): Promise<boolean>
}
