import type { ThreadId } from './contracts/ids.ts'
import type { TurnRecord } from './contracts/turn-record.ts'
import { readKeptCommits } from './folded-commits.ts'
import { readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { TurnRecorder } from './state/turn-recorder.ts'

/** The records of a thread's turns that are over. Those that it has copied from another thread are that thread's. */
export async function* threadRecords(core: RuntimeCore, thread: ThreadId): AsyncGenerator<TurnRecord> {
  const { head } = await readInfo(core, thread)
  const own = await findOwn(core, thread)
  const recorder = new TurnRecorder(thread)
  for await (const { sequence, at, facts } of readKeptCommits(core, thread)) {
    if (sequence > head) return
    for (const [index, fact] of facts.entries()) {
      for (const record of recorder.take(fact, { cursor: { sequence, index }, at })) if (sequence >= own) yield record
    }
  }
}

/** The commit with which a thread begins to be itself. */
async function findOwn(core: RuntimeCore, thread: ThreadId): Promise<number> {
  let own = 1
  for await (const { sequence, facts } of readKeptCommits(core, thread)) {
    if (facts.some((fact) => fact.type === 'thread.forked')) own = sequence
  }
  return own
}
