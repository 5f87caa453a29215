import { InvalidArgumentError } from 'commander'
import type { Budget, BudgetChange } from '@holdfast/runtime'
import { timeLimit } from './time-limit.ts'

type Field = keyof Budget

const FIELDS: { readonly [name: string]: { readonly field: Field; parse(text: string): number } } = {
  tokens: { field: 'maxTotalTokens', parse: count },
  cost: { field: 'maxCost', parse: amount },
  time: { field: 'maxDurationMs', parse: timeLimit },
  'tool-calls': { field: 'maxToolCalls', parse: count }
}
const EXPECTED = `Expected ${Object.keys(FIELDS).join('=…, ')}=…, hard or soft.`

/** A parser for a budget on one line: `tokens=200000,cost=2.50,time=30m,tool-calls=50,hard`. */
export function budgetOption(text: string, before: Budget = {}): Budget {
  return Object.assign({ ...before }, ...text.split(',').map((piece) => parseLimit(piece, 'budget')))
}

/** A change of a budget, from words such as `tokens=200000` and `cost=none`. */
export function parseChange(words: readonly string[]): BudgetChange {
  const pieces = words.flatMap((word) => word.split(','))
  return Object.assign({}, ...pieces.map((piece) => parseLimit(piece, 'change')))
}

function parseLimit(text: string, kind: 'budget'): Budget
function parseLimit(text: string, kind: 'change'): BudgetChange
function parseLimit(text: string, kind: 'budget' | 'change'): BudgetChange {
  if (text === 'hard' || text === 'soft') return { hard: text === 'hard' }
  const at = text.indexOf('=')
  const known = FIELDS[text.slice(0, Math.max(0, at))]
  if (!known || !Object.hasOwn(FIELDS, text.slice(0, at))) throw new InvalidArgumentError(EXPECTED)
  const value = text.slice(at + 1)
  if (kind === 'change' && value === 'none') return { [known.field]: null }
  return { [known.field]: known.parse(value) }
}

function count(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Expected a whole number above 0.')
}

function amount(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('Expected an amount of US dollars above 0, such as 2.50.')
}
