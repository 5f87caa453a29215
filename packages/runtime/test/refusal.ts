import { expect } from 'vitest'
import type { ErrorCode } from '../src/contracts/errors.ts'
import { HoldfastError } from '../src/contracts/errors.ts'
import type { Problem } from '../src/manifest/problem.ts'

/** The error with which something is refused; a value in its place, or another code, fails the test. */
export async function refusalOf(code: ErrorCode, act: () => unknown): Promise<HoldfastError> {
  try {
    await act()
  } catch (error) {
    expect(error).toBeInstanceOf(HoldfastError)
    if (!(error instanceof HoldfastError)) throw error
    expect(error.code).toBe(code)
    return error
  }
  return expect.fail(`nothing was refused: ${code} was expected`)
}

/** What is wrong with a definition, one by one. */
export async function problemsOf(act: () => unknown): Promise<readonly Problem[]> {
  const { details } = await refusalOf('invalid_manifest', act)
  return details['problems'] as unknown as readonly Problem[]
}

/** Code and path of each problem: what there is to it, wherever it stands. */
export function toCodes(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, path }) => `${code} ${path}`)
}
