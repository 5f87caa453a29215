import type { RunStatus, WaitKind } from './fact.ts'
import type { Ms, ThreadId } from './ids.ts'
import type { Labels } from './labels.ts'

/** A page of a list; `next` goes on from it and is absent at the end. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next?: string
}

/** What a list of threads is filtered by. Newest activity first. */
export interface ThreadQuery {
  readonly tenant: string
  readonly status?: readonly RunStatus[]
  readonly root?: ThreadId
  readonly since?: Ms
  /** Only threads that have all of these. */
  readonly labels?: Labels
  readonly after?: string
  readonly limit?: number
}

/** What a list of waits is filtered by. Oldest first. */
export interface WaitQuery {
  readonly tenant: string
  readonly thread?: ThreadId
  readonly root?: ThreadId
  readonly kind?: readonly WaitKind[]
  readonly after?: string
  readonly limit?: number
}
