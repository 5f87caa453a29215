// A process of its own: 200 threads of 50 turns at once, every commit synced.
import { createRuntime } from '@holdfast/runtime'
import { addTool, benchAgent } from './agent.ts'
import { print, round } from './figures.ts'
import { benchModel } from './model.ts'
import { openStore } from './store.ts'

const THREADS = 200
const TURNS = 50
const WARM_UP_TURNS = 5

await using opened = await openStore('power')
await run(1, WARM_UP_TURNS)
const since = performance.now()
await run(THREADS, TURNS)
const durationMs = performance.now() - since
print({
  measure: 'fleet',
  threads: THREADS,
  turns: TURNS,
  turnsPerSecond: Math.round((THREADS * TURNS * 1_000) / durationMs),
  peakRssMb: round(process.resourceUsage().maxRSS / 1_024)
})

async function run(threads: number, turns: number): Promise<void> {
  await using runtime = createRuntime({ store: opened.store, tools: [addTool], models: { bench: benchModel(turns) } })
  const runs = await Promise.all(Array.from({ length: threads }, () => runtime.start(benchAgent, { input: 'go' })))
  const results = await Promise.all(runs.map((each) => each.settled()))
  if (!results.every((result) => result.text?.startsWith('final'))) throw new Error('expected the final text of the job from every thread')
}
