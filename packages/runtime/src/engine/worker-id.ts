import { hostname } from 'node:os'
import type { IdSource } from '../contracts/clock.ts'

/** What a worker's id says: which process it is, so that a person (or the command on the same host) can look whether it lives. */
export interface WorkerIdentity {
  readonly host: string
  readonly pid: number
}

/** A new id: one for every start of a process, and another after a lost lease. */
export function createWorkerId(ids: IdSource): string {
  return `${hostname()}:${process.pid}:${ids.next(10)}`
}

/** Reads an id of `createWorkerId`, or null when it is of another kind. */
export function parseWorkerId(worker: string): WorkerIdentity | null {
  const match = /^(.+):(\d+):[0-9a-z]+$/.exec(worker)
  if (!match?.[1] || !match[2]) return null
  return { host: match[1], pid: Number(match[2]) }
}
