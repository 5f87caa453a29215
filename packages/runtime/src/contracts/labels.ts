/** What a thread is filed under by whoever starts it: lists are filtered by it, no model reads it, and it never changes. */
export type Labels = { readonly [key: string]: string }

/** Bounds of the labels of one thread: how many, and how long a key and a value are, in characters. */
export const LABEL_BOUNDS = { count: 16, key: 63, value: 256 } as const

const KEY = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/
const CONTROL = /\p{Cc}/u

/** What is wrong with labels, as the rest of a sentence, or null. */
export function findLabelFault(labels: unknown): string | null {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return 'labels are an object of texts'
  const entries = Object.entries(labels)
  if (entries.length > LABEL_BOUNDS.count) return `there are ${entries.length} labels, at most ${LABEL_BOUNDS.count} fit`
  for (const [key, value] of entries) {
    const fault = findKeyFault(key) ?? findValueFault(key, value)
    if (fault !== null) return fault
  }
  return null
}

function findKeyFault(key: string): string | null {
  if (key.length <= LABEL_BOUNDS.key && KEY.test(key)) return null
  const shown = JSON.stringify(key.slice(0, LABEL_BOUNDS.key))
  return `${shown} cannot be the key of a label: it begins with a letter or digit, then also . _ / and - may stand, at most ${LABEL_BOUNDS.key} characters`
}

function findValueFault(key: string, value: unknown): string | null {
  if (typeof value !== 'string') return `the label ${key} is no text`
  if (value.length > LABEL_BOUNDS.value) return `the label ${key} has ${value.length} characters, at most ${LABEL_BOUNDS.value} fit`
  return CONTROL.test(value) || !value.isWellFormed() ? `the label ${key} holds control characters or is not well-formed` : null
}
