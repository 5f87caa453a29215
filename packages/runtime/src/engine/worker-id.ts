import { hostname } from 'node:os'
import type { IdSource } from '../contracts/clock.ts'
import { readMachine, readProcessStart } from './process-start.ts'

/** What a worker's id says: which process it is, so that whoever is on the same machine can look whether it lives. */
export interface WorkerIdentity {
  readonly host: string
  readonly pid: number
  /** The machine and the processes that are seen there, and when the process began, where the system tells. A number of a process comes again. */
  readonly born?: { readonly machine: string; readonly start: string }
}

/** A new id: one for every start of a process, and another after a lost lease. */
export function createWorkerId(ids: IdSource): string {
  const machine = readMachine()
  const start = machine === null ? null : readProcessStart('self')?.start
  const born = start ? `${machine}-${start}-` : ''
  return `${hostname()}:${process.pid}:${born}${ids.next(10)}`
}

/** Reads an id of `createWorkerId`, or null when it is of another kind. */
export function parseWorkerId(worker: string): WorkerIdentity | null {
  const match = /^(.+):(\d+):(?:([0-9a-f]+)-(\d+)-)?[0-9a-z]+$/.exec(worker)
  const [, host, pid, machine, start] = match ?? []
  if (!host || !pid) return null
  return { host, pid: Number(pid), ...(machine && start ? { born: { machine, start } } : {}) }
}
