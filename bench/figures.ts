/** One line of output. */
export interface Figure {
  readonly measure: string
  readonly [field: string]: string | number | boolean | null
}

/** Prints a figure as one JSON line. */
export function print(figure: Figure): void {
  console.log(JSON.stringify(figure))
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2
}

/** A number with so many digits behind the point. */
export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
