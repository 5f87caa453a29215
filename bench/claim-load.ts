// A process of its own: how long it takes until a thread of so many turns, in a file just opened, asks the model again.
import { createRuntime } from '@holdfast/runtime'
import { addTool, benchAgent } from './agent.ts'
import { median, print, round } from './figures.ts'
import { benchModel } from './model.ts'
import type { BenchStore } from './store.ts'
import { openStore } from './store.ts'

const REPEATS = 7

for (const turns of [10, 100, 1_000]) await measureLength(turns)

async function measureLength(turns: number): Promise<void> {
  const { opened, thread } = await makeThread(turns)
  await using _removed = opened
  await opened.close()
  const times: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) times.push(await timeToModel(opened, thread))
  print({ measure: 'claim-load', turns, ms: round(median(times), 2) })
}

async function makeThread(turns: number): Promise<{ readonly opened: BenchStore; readonly thread: string }> {
  const opened = await openStore('process')
  await using runtime = createRuntime({ store: opened.store, tools: [addTool], models: { bench: benchModel(turns) } })
  const run = await runtime.start(benchAgent, { input: 'go' })
  await run.settled()
  return { opened, thread: run.id }
}

async function timeToModel(closed: BenchStore, thread: string): Promise<number> {
  const opened = await closed.reopen()
  let askedAt = 0
  // No more turns: the answer to the message is the final text.
  const bench = benchModel(0, () => {
    askedAt = performance.now()
  })
  const runtime = createRuntime({ store: opened.store, tools: [addTool], models: { bench } })
  const handle = runtime.thread(thread)
  const since = performance.now()
  await handle.message('again')
  await handle.settled()
  await runtime.close()
  await opened.close()
  return askedAt - since
}
