import type { Output } from './output.ts'

/** Tells a person that a part of what was given is not passed on. */
export function tellRedacted(output: Output, names: readonly string[] | undefined): void {
  if (names === undefined || names.length === 0) return
  output.notice(`warning: the value of ${names.join(', ')} stood in what was given. It is neither kept nor passed on.`)
}
