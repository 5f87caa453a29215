import { InvalidArgumentError } from 'commander'
import type { Labels } from '@holdfast/runtime'

/** Adds one label to those before it, from `KEY=VALUE`. */
export function label(text: string, before: Labels = {}): Labels {
  const separator = text.indexOf('=')
  if (separator < 1) throw new InvalidArgumentError('Expected KEY=VALUE.')
  const key = text.slice(0, separator)
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`The label ${key} is given twice.`)
  return { ...before, [key]: text.slice(separator + 1) }
}

/** Labels, for people. */
export function renderLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
}
