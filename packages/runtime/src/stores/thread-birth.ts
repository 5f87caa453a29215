import { HoldfastError } from '../contracts/errors.ts'
import type { FactOf } from '../contracts/fact.ts'
import type { Digest, ThreadId } from '../contracts/ids.ts'
import type { Labels } from '../contracts/labels.ts'
import type { NewItem, NewThread } from '../contracts/store.ts'
import { digestJson } from '../util/canonical.ts'

/** What a thread was made with. */
type Birth = Pick<NewThread, 'id' | 'created'> & { readonly first: Pick<NewItem, 'kind' | 'from' | 'digest'> }

/**
 * What makes two births the same: everything that the creator gave, without the ids that a repeat may choose anew (its own, its
 * root's, the first item's).
 */
export function toBirthDigest(thread: Birth): Digest {
  const { root: _, ...created } = createdFact(thread)
  const { kind, from, digest } = thread.first
  return digestJson({ created, kind, from, digest })
}

/** The publication that a new thread is pinned to. */
export function birthPublication(thread: NewThread): Digest {
  return createdFact(thread).publication
}

/** What a thread is filed under, from its birth on; null when it is nothing. */
export function birthLabels(thread: Pick<NewThread, 'id' | 'created'>): Labels | null {
  const { labels } = createdFact(thread)
  return labels === undefined || Object.keys(labels).length === 0 ? null : labels
}

/** Where a new thread stands below others. */
export function birthLineage(thread: Pick<NewThread, 'id' | 'created'>): { readonly parent: ThreadId | null; readonly depth: number } {
  const { parent, depth } = createdFact(thread)
  return { parent: parent?.thread ?? null, depth }
}

/** The error for other content under an id or key that is taken. */
export function birthConflict(thread: NewThread, existing: string): HoldfastError {
  const by = thread.key === undefined ? `id ${thread.id}` : `id ${thread.id} or idempotency key ${thread.key}`
  return new HoldfastError(
    'conflict',
    `Thread ${existing} was made under the same ${by} with other content. Use another key, or repeat the same request.`,
    {
      details: { thread: existing, ...(thread.key === undefined ? {} : { key: thread.key }) }
    }
  )
}

function createdFact(thread: Pick<NewThread, 'id' | 'created'>): FactOf<'thread.created'> {
  if (thread.created.type === 'thread.created') return thread.created
  throw new HoldfastError(
    'invalid_input',
    `Expected a thread.created fact as the first of thread ${thread.id}, got ${thread.created.type}.`
  )
}
