import { expect } from 'vitest'
import { holdfast } from './command-kit.ts'

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly details: { readonly [key: string]: unknown } }
}

/** Runs with `--json` and expects a refusal, told on both streams. */
export async function refusalOf(
  folder: string,
  argv: readonly string[],
  code: number,
  options: Parameters<typeof holdfast>[2] = {}
): Promise<Refusal['error']> {
  const told = await holdfast(folder, [...argv, '--json'], options)
  const { error } = JSON.parse(told.stdout) as Refusal
  expect({ code: told.code, stderr: told.stderr.split('\n')[0] }).toEqual({
    code,
    stderr: expect.stringContaining(`error[${error.code}]: `)
  })
  return error
}
