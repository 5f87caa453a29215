/** A number with its noun: `1 thread`, `2 threads`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
