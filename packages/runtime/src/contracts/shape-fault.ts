/** Something wrong with data that was given, by its path: it may come from a text or from code. */
export interface ShapeFault {
  readonly code: 'missing' | 'invalid' | 'unknown_field'
  /** Keys and indexes from the top of what was given. */
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly expected?: string
  readonly nearMiss?: string
}

/** Data that was read, or everything that is wrong with it. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly ShapeFault[] }
