// A process of its own, with --expose-gc: a store with many threads that wait for an approval, opened by a runtime that drives everything.
import { createRuntime, defineAgent, defineTool } from '@holdfast/runtime'
import { median, print, round } from './figures.ts'
import { benchModel } from './model.ts'
import { openStore } from './store.ts'

const AT_ONCE = 200
const PAGE = 100
const threads = Number(process.argv[2] ?? 10_000)

const addTool = defineTool({
  name: 'add',
  description: 'Adds.',
  input: { type: 'object' },
  effect: 'once',
  approval: true,
  execute: () => null
})
const agent = defineAgent({ name: 'bench', model: { ref: 'bench' }, tools: [addTool], limits: { maxTurns: 10 } })
const options = { tools: [addTool], models: { bench: benchModel(5) } }

const made = await openStore('process')
{
  await using runtime = createRuntime({ store: made.store, ...options })
  for (let count = 0; count < threads; count += AT_ONCE) {
    const runs = await Promise.all(Array.from({ length: AT_ONCE }, () => runtime.start(agent, { input: 'go' })))
    await Promise.all(runs.map((run) => run.settled()))
  }
}
await made.close()
await using opened = await made.reopen()
const empty = await openStore('process')
const before = await heapWith(empty.store)
await empty[Symbol.asyncDispose]()
const since = performance.now()
await using runtime = createRuntime({ store: opened.store, recover: true, ...options })
const { items } = await runtime.waits({ limit: PAGE })
const startMs = performance.now() - since
if (items.length !== PAGE) throw new Error(`expected a page of ${PAGE} waits, got ${items.length}`)
// The first sweep is over.
await new Promise((resolve) => setTimeout(resolve, 2_500))
const after = heapMb()
const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
const pages: number[] = []
for (let next: string | undefined, page = 0; page < 9; page++) {
  const from = performance.now()
  const found = await runtime.waits({ limit: PAGE, ...(next === undefined ? {} : { after: next }) })
  pages.push(performance.now() - from)
  next = found.next
}
print({ measure: 'waiting', threads, startMs: round(startMs), heapMb: round(after - before, 2), timers, pageMs: round(median(pages), 2) })
process.exit(0)

async function heapWith(store: typeof opened.store): Promise<number> {
  const other = createRuntime({ store, recover: true, ...options })
  await other.waits({ limit: PAGE })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const heap = heapMb()
  await other.close()
  return heap
}

function heapMb(): number {
  for (let pass = 0; pass < 4; pass++) globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1_048_576
}
