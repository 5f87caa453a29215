import { HoldfastError } from './errors.ts'
import type { Digest } from './ids.ts'

/** The error for bytes that are not there. */
export function missingArtifact(digest: Digest): HoldfastError {
  return new HoldfastError(
    'artifact_missing',
    `The artifact ${digest} is not in the store of artifacts. Restore it from a backup, or name the place where artifacts are kept.`,
    { details: { digest } }
  )
}

/** The error for bytes that their digest is not of. */
export function corruptArtifact(digest: Digest): HoldfastError {
  return new HoldfastError(
    'artifact_corrupt',
    `The artifact ${digest} does not match its digest: what is kept was changed or damaged. Restore it from a backup.`,
    { details: { digest } }
  )
}
