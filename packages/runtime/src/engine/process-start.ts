import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { digestText } from '../util/canonical.ts'

/** What a process is known by, beside its number. `isOver`: it has ended, and its parent has not looked yet. */
export interface ProcessStart {
  /** In ticks since the machine was started. */
  readonly start: string
  readonly isOver: boolean
}

/**
 * Where the numbers of processes and their starts mean what they mean here: one start of one machine, and there one space of processes and
 * of time (a container has its own). Null where the system does not tell.
 */
export function readMachine(): string | null {
  // In a space of its own, and shown the processes of another one: their numbers are not those that we know.
  if (tryRead(() => readlinkSync('/proc/self')) !== String(process.pid)) return null
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) || readBootTime()
  if (boot === null) return null
  // A kernel that lacks one of them has no more than one.
  const spaces = ['pid', 'time'].map((space) => tryRead(() => readlinkSync(`/proc/self/ns/${space}`)) ?? '')
  return digestText([boot, ...spaces].join(' ')).slice(7, 15)
}

/** Where the start of the machine has no id, or none is shown: a name alone is given to many machines, and to one after the other. */
function readBootTime(): string | null {
  const [, time] = /^btime (\d+)$/m.exec(tryRead(() => readFileSync('/proc/stat', 'utf8')) ?? '') ?? []
  return time === undefined ? null : `${hostname()} ${time}`
}

function tryRead(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** When a process began. Null when there is none, or when the system does not show it to us. */
export function readProcessStart(pid: number | 'self'): ProcessStart | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Behind the name, which may hold anything: the state is the first field, the start the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', start = ''] = [fields[0], fields[19]]
    return /^\d+$/.test(start) ? { start, isOver: /^[ZX]/.test(state) } : null
  } catch {
    return null
  }
}
