import { HoldfastError } from '../contracts/errors.ts'
import type { Commit } from '../contracts/fact.ts'
import type { Digest, Ms } from '../contracts/ids.ts'
import type { Labels } from '../contracts/labels.ts'
import type { ImportedThread } from '../contracts/store.ts'
import { digestJson } from '../util/canonical.ts'
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

/** The commits as they are kept: new ones are stamped. */
export function toStampedCommits({ commits, stampFrom = Number.POSITIVE_INFINITY }: ImportedThread, now: Ms): ImportedThread['commits'] {
  return commits.map((commit) => (commit.sequence < stampFrom ? commit : { ...commit, at: Math.max(commit.at, now) }))
}

/** Whether a commit that is kept is the one that is given. When a new one was first given its stamp is not asked. */
export function isSameCommit(
  kept: Pick<Commit, 'digest' | 'sequence' | 'attempt' | 'at' | 'worker'> | undefined,
  given: ImportedThread['commits'][number],
  stampFrom = Number.POSITIVE_INFINITY
): boolean {
  return (
    kept?.digest === given.digest &&
    kept.sequence === given.sequence &&
    kept.attempt === given.attempt &&
    (kept.at === given.at || given.sequence >= stampFrom) &&
    kept.worker === given.worker
  )
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
  const birth = toBirthDigest({ id, created, first })
  // A fork has the birth of another thread: whoever repeats that one means the other.
  const forked = given.commits.flatMap(({ facts }) => facts.filter((fact) => fact.type === 'thread.forked')).at(-1)
  return { birth: forked === undefined ? birth : digestJson([birth, forked]), labels: birthLabels({ id, created }), at: commit.at }
}

/** The newest format in the log: a worker must know it to claim the thread. */
export function toImportedFormat(given: ImportedThread): number {
  return given.commits.reduce((format, commit) => Math.max(format, commit.format), 0)
}

/** Whether the thread has gone on elsewhere. */
export function hasMoved(given: ImportedThread): boolean {
  return given.commits.some((commit) => commit.facts.some((fact) => fact.type === 'thread.moved'))
}
