import { createRuntime } from '@holdfast/runtime'
import { addTool, benchAgent } from './agent.ts'
import { benchModel } from './model.ts'
import type { StoreKind } from './store.ts'
import { openStore } from './store.ts'
import type { ThreadRun } from './thread-run.ts'

/** A runtime on a store of its own that runs one thread after the other. */
export interface Lane extends AsyncDisposable {
  /** Runs a thread of so many turns. */
  run(turns: number): Promise<ThreadRun>
  /** Closes runtime and store and gives the size of the store's file. */
  close(): Promise<number>
}

/** Makes a runtime on a new store. */
export async function openLane(kind: StoreKind): Promise<Lane> {
  const opened = await openStore(kind)
  let model = benchModel(0)
  const runtime = createRuntime({ store: opened.store, tools: [addTool], models: () => model })
  const close = async (): Promise<number> => {
    await runtime.close()
    return opened.close()
  }
  return {
    async run(turns) {
      const askedAt: number[] = []
      model = benchModel(turns, () => askedAt.push(performance.now()))
      const since = performance.now()
      const run = await runtime.start(benchAgent, { input: 'go' })
      const result = await run.settled()
      const durationMs = performance.now() - since
      if (!result.text?.startsWith('final')) throw new Error(`expected the final text of the job, got ${JSON.stringify(result)}`)
      return { durationMs, askedAt }
    },
    close,
    async [Symbol.asyncDispose]() {
      await close()
      await opened[Symbol.asyncDispose]()
    }
  }
}
