import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { loadLook } from './libraries.ts'

/** Who owns a thread, as far as the store tells. */
export interface Owner {
  readonly worker: string
  readonly leaseUntil: number
}

/** What can be known of the process that a worker's id names: only of processes of this host anything. */
export type Life = 'alive' | 'dead' | 'unknown'

/** Looks whether a worker lives. A number that is now our own was that of a process that is gone. */
export async function lifeOf(worker: string, host: string = hostname()): Promise<Life> {
  const { parseWorkerId } = await loadLook()
  const identity = parseWorkerId(worker)
  if (identity === null || identity.host !== host || !Number.isSafeInteger(identity.pid) || identity.pid < 1) return 'unknown'
  return identity.pid !== process.pid && isAlive(identity.pid) ? 'alive' : 'dead'
}

/** A sentence about the owner of a thread. */
export function describeOwner({ worker, leaseUntil }: Owner): string {
  return `${worker} owns it until ${new Date(leaseUntil).toISOString()} and longer while it lives`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, and is not ours.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
  return !isZombie(pid)
}

/** A killed process whose parent has not looked yet still has its number. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    // It is gone by now, unless this machine shows no processes.
    return existsSync('/proc/self/stat')
  }
}
