/** An object of unknown content. */
export type Fields = { readonly [name: string]: unknown }

/** Whether a value is an object, and no array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text, or undefined when it is none or blank. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
