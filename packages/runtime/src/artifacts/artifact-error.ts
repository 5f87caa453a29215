import { HoldfastError } from '../contracts/errors.ts'

/** Does something with files and throws what a store of artifacts may throw; the cause is kept. */
export async function toArtifactError<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (hasSystemCode(error, 'ENOSPC') || hasSystemCode(error, 'EDQUOT')) {
      const message = `No space is left for artifacts in ${folder}. What was acknowledged is kept; free space and repeat.`
      throw new HoldfastError('store_full', message, { details: { path: folder }, cause: error })
    }
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new HoldfastError('store_unavailable', `Could not use ${folder}: ${error.message}`, { details: { path: folder }, cause: error })
  }
}

/** Whether this is the operating system's error of that code. */
export function hasSystemCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
