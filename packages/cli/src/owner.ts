import { hostname } from 'node:os'
import type { WorkerLife } from '@holdfast/runtime'
import { loadLook } from './libraries.ts'

/** Who owns a thread, as far as the store tells. */
export interface Owner {
  readonly worker: string
  readonly leaseUntil: number
}

/** Looks whether a worker lives. */
export async function lifeOf(worker: string): Promise<WorkerLife> {
  const { readWorkerLife } = await loadLook()
  return readWorkerLife(worker)
}

/** Gives what tells whether a worker belongs to this process. */
export async function loadIsOwn(): Promise<(worker: string) => boolean> {
  const { parseWorkerId, readWorkerLife } = await loadLook()
  return (worker) => {
    const identity = parseWorkerId(worker)
    if (identity === null || identity.pid !== process.pid || identity.host !== hostname()) return false
    // The first process of every container has the same number, and its name may be given again.
    return identity.born === undefined || readWorkerLife(worker) === 'alive'
  }
}

/** A sentence about the owner of a thread. */
export function describeOwner({ worker, leaseUntil }: Owner): string {
  return `${worker} owns it until ${new Date(leaseUntil).toISOString()} and longer while it lives`
}
