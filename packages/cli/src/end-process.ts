import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long work of threads may take that nobody waits for any more. */
const PATIENCE_MS = 1_000
const LOOK_MS = 20
/** What a thread outside of the event loop does, and may never end: files, pipes and names that do not answer. */
const THREAD_WORK = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/

let isOver = false

/** Whether the command itself ends the process. */
export function isEnding(): boolean {
  return isOver
}

/** Ends the process when its threads have ended what they do, or soon. */
export async function endProcess(code: number): Promise<never> {
  for (let waitedMs = 0; isWorking() && waitedMs < PATIENCE_MS; waitedMs += LOOK_MS) await sleep(LOOK_MS)
  return endProcessNow(code)
}

/**
 * Ends the process at once. `process.exit` waits for its threads: one that opens a pipe without an end, or asks a disk that does not answer,
 * would keep it for ever. Where one works another program takes the place of the process, and has no threads.
 */
export function endProcessNow(code: number): never {
  isOver = true
  if (isWorking() && process.platform !== 'win32') {
    try {
      process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {})
    } catch {
      // Then it ends when it can.
    }
  }
  return process.exit(code)
}

function isWorking(): boolean {
  return process.getActiveResourcesInfo().some((name) => THREAD_WORK.test(name))
}
