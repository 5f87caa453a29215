import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure } from './failure.ts'

/** An environment: of the process, or with what a project adds to it. */
export type Environment = { readonly [name: string]: string | undefined }

const NAME = '.env'
const MAX_BYTES = 1_048_576

/** The file that belongs to a configuration: beside it. */
export function envFileOf(config: string): string {
  return join(dirname(config), NAME)
}

/**
 * An environment with what the `.env` beside a configuration says; what is set already wins. Where no such file is it is the environment itself.
 * Throws `file_unreadable`, and tells nothing of what stands in it.
 */
export function withEnvFile(env: Environment, config: string | undefined): Environment {
  const text = config === undefined ? undefined : readEnvFile(envFileOf(config))
  if (text === undefined) return env
  const told = Object.entries(parseEnv(text)).filter(([name]) => env[name] === undefined)
  return told.length === 0 ? env : { ...env, ...Object.fromEntries(told) }
}

function readEnvFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  // Some call the folder of their interpreter so.
  if (!stats?.isFile()) return undefined
  if (stats.size > MAX_BYTES) throw refuse(path, `it has ${stats.size} bytes, at most ${MAX_BYTES} are read`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (cause) {
    throw refuse(path, cause instanceof TypeError ? 'it is not UTF-8 text' : cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function refuse(path: string, why: string, cause?: unknown): Failure {
  return new Failure('file_unreadable', `${path} cannot be read: ${why}.`, {
    details: { path },
    remedy: 'Mend the file, or move it away.',
    ...(cause === undefined ? {} : { cause })
  })
}
