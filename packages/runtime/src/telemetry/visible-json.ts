/** What JSON leaves as it is and a terminal may obey: controls, and marks that change the order of what is read. */
const HIDDEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** A value as one line of JSON that is harmless when a person looks at it. */
export function toVisibleJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
