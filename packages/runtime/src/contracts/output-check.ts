import type { Json } from './json.ts'

/** The final text checked against the definition's output schema. */
export type OutputCheck = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly errors: string }
