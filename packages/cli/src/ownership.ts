import { setTimeout as sleep } from 'node:timers/promises'
import type { ThreadHandle, ThreadInfo } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { Failure, isRuntimeError } from './failure.ts'
import type { Owner } from './owner.ts'
import { describeOwner, lifeOf } from './owner.ts'
import { toVisibleLine } from './visible-text.ts'

const LOOK_MS = 200

/** What taking a thread needs to know. */
export interface TakeOptions {
  /** Dispossess an owner that lives. */
  readonly takeover?: boolean
}

/**
 * Makes this process the owner of a thread. An owner that is a dead process of this host is replaced at once. An owner elsewhere is given
 * the rest of its lease to show that it lives.
 *
 * Throws `thread_busy` when it lives, and whatever `resume` throws.
 */
export async function takeThread(thread: ThreadHandle, context: CommandContext, options: TakeOptions = {}): Promise<void> {
  const first = await tryToTake(thread, context, options)
  if (first === undefined) return
  if ((await lifeOf(first.worker)) === 'alive') throw toBusy(thread.id, first)
  const until = new Date(first.leaseUntil).toISOString()
  context.output.progress(`waiting for ${toVisibleLine(first.worker)}, which may be gone: at most until ${until}`)
  for (;;) {
    await sleep(LOOK_MS, undefined, { signal: context.interruption.signal })
    const owner = await tryToTake(thread, context)
    if (owner === undefined) return
    if (owner.worker !== first.worker || owner.leaseUntil > first.leaseUntil) throw toBusy(thread.id, owner)
  }
}

/** One attempt: nothing when the thread is ours now (or at rest), else who owns it and may live. */
export async function tryToTake(thread: ThreadHandle, context: CommandContext, options: TakeOptions = {}): Promise<Owner | undefined> {
  const { owner } = await thread.info()
  if (owner !== undefined && (await lifeOf(owner.worker)) === 'dead')
    context.output.progress(`${toVisibleLine(owner.worker)} is gone: taking over`)
  try {
    await thread.resume({ takeover: options.takeover === true })
    return undefined
  } catch (error) {
    const living = isRuntimeError(error) && error.code === 'thread_busy' ? toOwner(error.details) : undefined
    if (living === undefined) throw error
    return living
  }
}

function toOwner(details: { readonly [key: string]: unknown }): Owner | undefined {
  const { worker, leaseUntil } = details
  return typeof worker === 'string' && typeof leaseUntil === 'number' ? { worker, leaseUntil } : undefined
}

/** Throws `thread_busy` when the owner is a process of this machine and lives: nothing need be loaded to know that. */
export async function refuseBusy({ id, owner }: ThreadInfo): Promise<void> {
  if (owner !== undefined && (await lifeOf(owner.worker)) === 'alive') throw toBusy(id, owner)
}

function toBusy(thread: string, owner: Owner): Failure {
  return new Failure('thread_busy', `Another worker drives ${thread}: ${describeOwner(owner)}.`, {
    details: { worker: owner.worker, leaseUntil: owner.leaseUntil },
    remedy: `Watch it with \`holdfast attach ${thread}\`, talk to it with \`holdfast message ${thread} TEXT\`, or dispossess its owner with \`holdfast resume ${thread} --takeover\`.`
  })
}
