import { HoldfastError } from './contracts/errors.ts'

/** Refuses what is given as a number and is no whole one from `least` on. Absent is fine. Throws `invalid_input` (details: `field`). */
export function assertWholeNumber(field: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least && !Object.is(value, -0))) return
  const found = typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : typeof value === 'number' ? String(value) : typeof value
  throw new HoldfastError('invalid_input', `\`${field}\` must be a whole number from ${least} on, or absent, but is ${found}`, {
    details: { field }
  })
}
