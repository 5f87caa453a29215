import type { ArtifactInfo, ArtifactQuery } from './artifact.ts'
import type { Digest, Ms, ThreadId } from './ids.ts'
import type { Page } from './query.ts'

/** An artifact, by how many threads it is used, and one of them. */
export interface ArtifactEntry extends ArtifactInfo {
  readonly threads: number
  readonly thread?: ThreadId
}

/** What a collection removed, or would remove. */
export interface ArtifactCollection {
  readonly artifacts: number
  readonly bytes: number
}

/** The bodies of the runtime's threads that were too large for a commit. */
export interface RuntimeArtifacts {
  /** The bytes of one: a value of JSON, as the log names it. Throws `artifact_missing`, `artifact_corrupt`. */
  get(digest: Digest): Promise<Uint8Array>
  list(query?: Omit<ArtifactQuery, 'tenant'>): Promise<Page<ArtifactEntry>>
  /**
   * Removes artifacts that no commit names and that were not put for as long: what a process left that died between a put and its commit, and what
   * threads had that were removed. At least a day, which is also the default, for others may be about to name what they put. `dryRun` only counts.
   */
  collect(options?: { readonly olderThanMs?: Ms; readonly dryRun?: boolean }): Promise<ArtifactCollection>
}
