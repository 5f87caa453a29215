import type { GrantedNames } from '../contracts/grants.ts'

/** The order of texts in a set: by their UTF-16 units, the same on every machine. */
export function byText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Each name once, in order. */
export function normalNames(names: GrantedNames): GrantedNames {
  return names === 'all' ? names : [...new Set(names)].toSorted(byText)
}

/** The names that both hold. */
export function intersectNames(a: GrantedNames, b: GrantedNames): GrantedNames {
  if (a === 'all') return b
  if (b === 'all') return a
  const others = new Set(b)
  return a.filter((name) => others.has(name))
}

/** Whether a name is among them, letter by letter. */
export function holdsName(names: GrantedNames, name: string): boolean {
  return names === 'all' || names.includes(name)
}
