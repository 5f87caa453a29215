import type { Json } from '../contracts/json.ts'
import type { Path, Position, Problem } from './problem.ts'

/** A document that was read: its value, what is wrong with it, and where everything stands. */
export interface ParsedDocument {
  readonly file: string
  /** Undefined when the text cannot be read at all. With `errors` it is what could be read. */
  readonly value: Json | undefined
  readonly errors: readonly Problem[]
  /** Where a value stands; where there is none, the nearest thing around it. */
  at(path: Path): Position
  /** Where the key of a value stands. */
  keyAt(path: Path): Position
  /** A plain scalar of YAML as it was written (`1.10`), for where a text is meant. */
  sourceAt(path: Path): string | undefined
}
