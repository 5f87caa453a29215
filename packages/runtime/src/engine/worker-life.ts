import { hostname } from 'node:os'
import { readMachine, readProcessStart } from './process-start.ts'
import type { WorkerIdentity } from './worker-id.ts'
import { parseWorkerId } from './worker-id.ts'

/** What can be known of the process that a worker's id names. `unknown`: it runs, or ran, where its end cannot be seen from here. */
export type WorkerLife = 'alive' | 'dead' | 'unknown'

/**
 * Looks whether a worker lives. Only of processes of this machine anything can be known, and `dead` is only said when that is certain: by
 * the number of the process and by when it began.
 */
export function readWorkerLife(worker: string): WorkerLife {
  const identity = parseWorkerId(worker)
  if (identity === null || !Number.isSafeInteger(identity.pid) || identity.pid < 1) return 'unknown'
  const machine = readMachine()
  if (machine === null) return lifeByNumber(identity)
  return identity.born?.machine === machine ? lifeByStart(identity.pid, identity.born.start) : 'unknown'
}

function lifeByStart(pid: number, start: string): WorkerLife {
  const found = readProcessStart(pid)
  if (found !== null) return found.start === start && !found.isOver ? 'alive' : 'dead'
  // What belongs to others may not be shown.
  return hasNumber(pid) ? 'unknown' : 'dead'
}

/** Systems other than Linux: a name stands for its machine, and all processes of a machine have different numbers. */
function lifeByNumber({ host, pid, born }: WorkerIdentity): WorkerLife {
  if (process.platform === 'linux' || born !== undefined || host !== hostname()) return 'unknown'
  if (!hasNumber(pid)) return 'dead'
  // A predecessor of ours with our number cannot be told from us.
  return pid === process.pid ? 'unknown' : 'alive'
}

function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: there is one, and it is not ours.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
