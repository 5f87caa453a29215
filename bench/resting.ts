// A process of its own, with --expose-gc: what threads that rest until a timer hold of the heap, and how many timers run for them.
import type { LanguageModel } from '@holdfast/runtime'
import { createRuntime } from '@holdfast/runtime'
import { addTool, benchAgent } from './agent.ts'
import { print, round } from './figures.ts'
import { benchModel } from './model.ts'
import { openStore } from './store.ts'

const AT_ONCE = 200
const threads = Number(process.argv[2] ?? 10_000)

/** Refuses the first call of every thread for ten minutes: longer than a thread is held. */
function overloadedModel(): LanguageModel {
  return {
    ...benchModel(0),
    doStream: async () => {
      throw Object.assign(new Error('overloaded'), { statusCode: 529, responseHeaders: { 'retry-after': '600' } })
    }
  }
}

await using opened = await openStore('process')
await using runtime = createRuntime({ store: opened.store, tools: [addTool], models: { bench: overloadedModel() } })

// Code that is loaded and compiled while threads are made is there before the first measure.
await rest(AT_ONCE * 2)
const before = heapMb()
await rest(threads)
const after = heapMb()
const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
print({ measure: 'resting', threads, heapMb: round(after - before, 2), timers })
process.exit(0)

async function rest(count: number): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE) {
    const runs = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - made) }, () => runtime.start(benchAgent, { input: 'go' }))
    )
    for (const run of runs) {
      for (let info = await run.info(); info.timerAt === undefined || info.owner; info = await run.info()) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }
}

function heapMb(): number {
  for (let pass = 0; pass < 4; pass++) globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1_048_576
}
