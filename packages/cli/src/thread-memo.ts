import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Failure } from './failure.ts'
import type { GrantOption } from './grant-option.ts'
import { parseGrantOptions } from './grant-option.ts'
import type { StoreLocation } from './store-location.ts'

/** What the command needs to drive a thread again in another process. Absolute paths; no secret. */
export interface ThreadMemo {
  /** What is relative in the definition is relative to this folder: that of the agent's file. */
  readonly base: string
  /** The folder in which it was started: tools may work relative to it. */
  readonly cwd?: string
  readonly manifest?: string
  readonly config?: string
  readonly tools?: string
  /** What was granted to it beside the configuration. */
  readonly granted?: readonly GrantOption[]
}

const VERSION = 1

/** Keeps the memo of a thread, whole or not at all. Paths are kept relative to the store, so that a project can be moved. */
export function writeMemo(location: StoreLocation, thread: string, memo: ThreadMemo): void {
  const path = memoPath(location, thread)
  const from = dirname(location.path)
  const { granted = [], ...absolute } = memo
  const paths = Object.entries(absolute).map(([name, path]: [string, string]) => [name, relative(from, path)])
  const kept = { version: VERSION, ...Object.fromEntries(paths), ...(granted.length === 0 ? {} : { granted }) }
  const draft = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new Failure('store_unavailable', `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      details: { path },
      cause
    })
  }
}

/** What is remembered of a thread, or undefined. A memo that cannot be read counts as none: the caller says what to pass. */
export function readMemo(location: StoreLocation, thread: string): ThreadMemo | undefined {
  const path = memoPath(location, thread)
  if (!existsSync(path)) return undefined
  const from = dirname(location.path)
  const kept = parse(readFileSync(path, 'utf8'))
  const at = (name: string): string | undefined => (typeof kept[name] === 'string' ? resolve(from, kept[name]) : undefined)
  const base = at('base')
  if (kept['version'] !== VERSION || base === undefined) return undefined
  const memo = toMemo(base, { cwd: at('cwd'), manifest: at('manifest'), config: at('config'), tools: at('tools') })
  return kept['granted'] === undefined ? memo : { ...memo, granted: parseGrantOptions(kept['granted']) }
}

/** Forgets a thread. Idempotent. */
export function removeMemo(location: StoreLocation, thread: string): void {
  rmSync(memoPath(location, thread), { force: true })
}

/** A memo of what is there. */
export function toMemo(
  base: string,
  paths: { readonly [name in keyof Omit<ThreadMemo, 'granted'>]?: string | undefined },
  granted: readonly GrantOption[] = []
): ThreadMemo {
  const known = Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== undefined))
  return { ...known, base, ...(granted.length === 0 ? {} : { granted }) }
}

function memoPath(location: StoreLocation, thread: string): string {
  return join(location.threads, `${thread}.json`)
}

function parse(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
