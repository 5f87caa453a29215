import type { Problem } from '@holdfast/runtime'
import { isHoldfastError } from '@holdfast/runtime'

/** What is wrong with a file that is read. */
export async function problemsOf(reading: Promise<unknown>): Promise<readonly Problem[]> {
  const error: unknown = await reading.then(
    () => undefined,
    (reason: unknown) => reason
  )
  if (!isHoldfastError(error, 'invalid_config')) throw new Error('the text was accepted, or refused with another code', { cause: error })
  return error.details['problems'] as unknown as Problem[]
}
