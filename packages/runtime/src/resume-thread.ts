// Keeps I3 beside the store's fence: nobody whose process lives, or may live, loses a thread without the host's word.
import { HoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { ThreadInfo } from './contracts/store.ts'
import type { WorkerLife } from './engine/worker-life.ts'
import { readWorkerLife } from './engine/worker-life.ts'
import { assertModelsHere, assertPlaceable } from './lacking-models.ts'
import { assertOpen, isAtRest, readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'

type Owner = NonNullable<ThreadInfo['owner']>

/** Drives a thread in this process: what nobody owns, what a dead process of this machine owns, and with `takeover` what others own. */
export async function resumeThread(core: RuntimeCore, thread: ThreadId, takeover: boolean | string): Promise<void> {
  assertOpen(core)
  const info = await readInfo(core, thread)
  assertPlaceable(thread, core.missing(info))
  await assertModelsHere(core, thread, (await core.publication(info.publication)).definition)
  core.faults.delete(thread)
  if (await core.engine.acquire(thread, { takeover })) return
  const first = await readInfo(core, thread)
  const isGone = first.owner !== undefined && readWorkerLife(first.owner.worker) === 'dead'
  // Of several that see its death exactly one succeeds it.
  if (isGone && (await core.engine.acquire(thread, { takeover: first.owner?.worker ?? false }))) return
  const now = isGone ? await readInfo(core, thread) : first
  if (now.owner && !core.engine.isDriving(thread)) refuseLiving(thread, now.owner)
  // A log that this program cannot read is handed out to nobody here: reading it says why (I15).
  if (!(await isAtRest(core, now)) && !core.engine.isDriving(thread)) await core.fold(thread)
  // Nothing to do now; its next timer or item is ours to look at.
  core.engine.wake(thread)
}

const WHAT_NOW: { readonly [life in Exclude<WorkerLife, 'dead'>]: string } = {
  alive: 'That process lives: wait for it with settled(), send it a message, or dispossess it with resume({ takeover: true })',
  unknown:
    'Whether that process lives cannot be seen from here: resume again when the lease is over, or dispossess it with resume({ takeover: true })'
}

/** Throws `thread_busy`, unless the owner is known to be dead: then there was no place for its thread here, which is taken when there is one. */
function refuseLiving(thread: ThreadId, { worker, leaseUntil }: Owner): void {
  const life = readWorkerLife(worker)
  if (life === 'dead') return
  const until = new Date(leaseUntil).toISOString()
  throw new HoldfastError(
    'thread_busy',
    `the thread ${thread} is driven by ${worker}, whose lease holds until ${until}. ${WHAT_NOW[life]}`,
    {
      details: { worker, leaseUntil, life }
    }
  )
}
