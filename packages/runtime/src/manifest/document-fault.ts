import type { Path, ProblemCode } from './problem.ts'

/** Something wrong at an offset of a text, before lines are known. */
export interface DocumentFault {
  readonly code: ProblemCode
  readonly offset: number
  readonly path: Path
  readonly message: string
  readonly expected?: string
  /** The offset of the other place that belongs to it. */
  readonly related?: number
}

/** What a document may be at most. */
export const DOCUMENT_BOUNDS = { depth: 128, nodes: 100_000, length: 8_388_608, lexemes: 800_000 } as const

/** Keys that reach the prototype of an object somewhere: refused everywhere, in data too. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor'])
