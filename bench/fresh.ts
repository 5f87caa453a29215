// A process of its own: one thread right after the start, with five turns before it: the job and the protocol of our comparison of runtimes,
// where a script runs one agent.
import { measureAiSdk } from './aisdk.ts'
import { print, round } from './figures.ts'
import type { StoreKind } from './store.ts'
import { runThread } from './thread.ts'

const WARM_UP_TURNS = 5

const variant = process.argv[2] ?? 'ai-sdk'
const turns = Number(process.argv[3] ?? 50)

await run(WARM_UP_TURNS)
print({ measure: 'fresh', variant, turns, us: round(((await run(turns)) / turns) * 1_000) })

async function run(length: number): Promise<number> {
  if (variant === 'ai-sdk') return measureAiSdk(length)
  return (await runThread(length, variant.replace('sqlite-', '') as StoreKind)).durationMs
}
