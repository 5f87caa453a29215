import type { ThreadInfo, WorkerLife } from '@holdfast/runtime'
import { lifeOf } from './owner.ts'

/**
 * Who goes on with a thread. `driven`: a worker owns it, and is not known to be dead. `pausing`: whoever drives it looks at it again at its
 * timer. `interrupted`: its run is under way, and nobody drives it. `queued`: nobody has begun. `resting`: there is nothing to drive.
 */
export type Driving = 'driven' | 'pausing' | 'interrupted' | 'queued' | 'resting'

/** Looks who goes on with a thread. An owner is as good as its lease, unless it was a process of this machine and is gone. */
export async function drivingOf(info: ThreadInfo): Promise<Driving> {
  return toDriving(info, { life: info.owner && (await lifeOf(info.owner.worker)), now: Date.now() })
}

/** The same, from what is known of the owner. Pure. */
export function toDriving(
  { owner, row, timerAt = 0 }: ThreadInfo,
  { life, now }: { readonly life?: WorkerLife | undefined; readonly now: number }
): Driving {
  if (owner !== undefined && life !== 'dead') return 'driven'
  if (row.status === 'queued') return 'queued'
  if (row.status !== 'running') return 'resting'
  return owner === undefined && timerAt > now ? 'pausing' : 'interrupted'
}
