import { HoldfastError } from '../contracts/errors.ts'
import type { Digest, Ms } from '../contracts/ids.ts'
import type { Labels } from '../contracts/labels.ts'
import type { ImportedThread } from '../contracts/store.ts'
import { toBodyText, toFactsText } from './facts-text.ts'
import { birthLabels, toBirthDigest } from './thread-birth.ts'

/**
 * The texts of the commits. Throws `log_corrupt` for one that its digest is not of, or that is out of order, `value_too_large`, and
 * `invalid_input` for a thread without a birth: call it before anything is written.
 */
export function toImportedTexts(given: ImportedThread): readonly string[] {
  for (const item of given.items) if (item.state !== 'consumed') toBodyText(item)
  toImportedBirth(given)
  return given.commits.map((commit, index) => {
    const { text, digest } = toFactsText(given.id, commit.facts)
    if (digest === commit.digest && commit.sequence === index + 1) return text
    throw new HoldfastError(
      'log_corrupt',
      `Expected commit ${index + 1} of thread ${given.id} under the digest of its facts, got commit ${commit.sequence} under another one.`,
      { details: { thread: given.id, sequence: commit.sequence } }
    )
  })
}

/** What an imported thread was born as, so that a repeat of its creation finds it. Throws `invalid_input` without a birth. */
export function toImportedBirth(given: ImportedThread): { readonly birth: Digest; readonly labels: Labels | null; readonly at: Ms } {
  const [commit] = given.commits
  const [created] = commit?.facts ?? []
  const [first] = given.items
  if (commit === undefined || created === undefined || first === undefined) {
    throw new HoldfastError('invalid_input', `Expected the birth of thread ${given.id} and its first item, got a log without them.`)
  }
  const { id } = given
  return { birth: toBirthDigest({ id, created, first }), labels: birthLabels({ id, created }), at: commit.at }
}

/** The newest format in the log: a worker must know it to claim the thread. */
export function toImportedFormat(given: ImportedThread): number {
  return given.commits.reduce((format, commit) => Math.max(format, commit.format), 0)
}

/** Whether the thread has gone on elsewhere. */
export function hasMoved(given: ImportedThread): boolean {
  return given.commits.some((commit) => commit.facts.some((fact) => fact.type === 'thread.moved'))
}
