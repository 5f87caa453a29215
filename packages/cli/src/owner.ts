import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { loadRuntime } from './libraries.ts'

/** Who owns a thread, as far as the store tells. */
export interface Owner {
  readonly worker: string
  readonly leaseUntil: number
}

/** Whether the owner was a process of this host that is gone: nobody has to wait for its lease. False when that cannot be known. */
export async function isDeadHere(worker: string, host: string = hostname()): Promise<boolean> {
  const { parseWorkerId } = await loadRuntime()
  const identity = parseWorkerId(worker)
  return identity !== null && identity.host === host && Number.isSafeInteger(identity.pid) && identity.pid > 0 && !isAlive(identity.pid)
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
