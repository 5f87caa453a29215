import type { RunResult, SettledStatus } from './contracts/run-result.ts'
import type { FactOf } from './contracts/fact.ts'
import type { ThreadInfo } from './contracts/store.ts'
import type { WaitRow } from './contracts/wait.ts'
import { readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { inlineOf } from './state/body.ts'

/** What became of the latest run of a thread that was at rest; undefined when it has gone on since. */
export async function toRunResult(core: RuntimeCore, info: ThreadInfo): Promise<RunResult | undefined> {
  const { row } = info
  const ended = row.endedIn === undefined ? undefined : await readEnd(core, info.id, row.endedIn)
  const waits = row.status === 'waiting' ? await readWaits(core, info) : []
  if (waits === undefined) return undefined
  const output = ended?.output ? inlineOf(ended.output) : undefined
  return {
    thread: info.id,
    run: row.run ?? '',
    // At rest it is one of these.
    status: row.status as SettledStatus,
    waits,
    usage: row.runUsage,
    cost: row.runCost,
    subtreeCost: row.cost,
    ...(output === undefined ? {} : { output }),
    ...(typeof output === 'string' ? { text: output } : {}),
    ...(ended?.error ? { error: ended.error } : {}),
    ...((row.status === 'stopped' || row.status === 'cancelled') && row.why !== undefined ? { stopReason: row.why } : {})
  }
}

/** What it waits for; undefined when somebody has gone on with it before that was read. */
async function readWaits(core: RuntimeCore, { id, head }: ThreadInfo): Promise<readonly WaitRow[] | undefined> {
  const { items } = await core.store.waits({ tenant: core.tenant, thread: id })
  const now = await readInfo(core, id)
  return now.head === head ? items : undefined
}

async function readEnd(core: RuntimeCore, thread: string, sequence: number): Promise<FactOf<'run.ended'> | undefined> {
  const [commit] = await core.bodies.readWhole(thread, sequence, 1)
  return commit?.facts.findLast((fact): fact is FactOf<'run.ended'> => fact.type === 'run.ended')
}
