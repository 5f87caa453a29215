import { createRuntime } from '@holdfast/runtime'
import { addTool, benchAgent, benchModel } from './model.ts'
import type { StoreKind } from './store.ts'
import { openStore } from './store.ts'

/** What became of one thread. */
export interface ThreadRun {
  readonly durationMs: number
  /** When the model was asked, turn by turn. */
  readonly askedAt: readonly number[]
  readonly bytes: number
}

/** Runs one thread of so many turns on a new store. */
export async function runThread(length: number, kind: StoreKind): Promise<ThreadRun> {
  await using opened = await openStore(kind)
  const askedAt: number[] = []
  const bench = benchModel(length, () => askedAt.push(performance.now()))
  await using runtime = createRuntime({ store: opened.store, tools: [addTool], models: { bench } })
  const since = performance.now()
  const run = await runtime.start(benchAgent(length), { input: 'go' })
  const result = await run.settled()
  const durationMs = performance.now() - since
  if (!result.text?.startsWith('final')) throw new Error(`expected the final text of the job, got ${JSON.stringify(result)}`)
  await runtime.close()
  return { durationMs, askedAt, bytes: await opened.close() }
}
