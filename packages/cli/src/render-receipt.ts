import type { DecisionReceipt } from '@holdfast/runtime'
import { EXIT } from './exit-code.ts'
import { toJsonText, toVisibleLine, toVisibleText } from './visible-text.ts'

/** What became of a decision, for people. */
export function renderReceipt(receipt: DecisionReceipt): string {
  const wait = toVisibleLine(receipt.wait, 500)
  switch (receipt.state) {
    case 'accepted':
      return `Decided: ${wait}`
    case 'counted':
      return `Counted: ${wait}. More people must approve.`
    case 'repeated':
      return `It was decided like this before: ${wait}`
    case 'conflict':
      return `It was decided otherwise before: ${wait}, ${toVisibleLine(toJsonText(receipt.recorded ?? null), 500)}`
    case 'expired':
      return `Too late: ${wait} has expired.`
    case 'closed':
      return `Too late: ${wait} is closed.`
    case 'unknown':
      return `There is no wait ${wait}.`
    case 'invalid':
      return `That does not fit, and ${wait} stays open: ${toVisibleText(receipt.errors)}`
  }
}

const CODES: { readonly [state in DecisionReceipt['state']]: number } = {
  accepted: EXIT.completed,
  repeated: EXIT.completed,
  counted: EXIT.waiting,
  expired: EXIT.cancelled,
  closed: EXIT.cancelled,
  conflict: EXIT.invalid,
  unknown: EXIT.invalid,
  invalid: EXIT.invalid
}

/** The exit code of a decision that nothing was driven after. */
export function exitCodeOfReceipt({ state }: DecisionReceipt): number {
  return CODES[state]
}
