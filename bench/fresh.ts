// A process of its own: one thread right after the start, with five turns before it. The protocol of our comparison of runtimes, where a
// script runs one agent. A contender loads nothing of the others.
import { print, round } from './figures.ts'
import type { ThreadRun } from './thread-run.ts'
import { turnsOf } from './thread-run.ts'

const WARM_UP_TURNS = 5

const variant = process.argv[2] ?? 'ai-sdk'
const turns = Number(process.argv[3] ?? 50)

await (variant === 'ai-sdk' ? runAiSdk() : runRuntime())

async function runAiSdk(): Promise<void> {
  const { measureAiSdk } = await import('./aisdk.ts')
  await measureAiSdk(WARM_UP_TURNS)
  report(await measureAiSdk(turns))
}

async function runRuntime(): Promise<void> {
  const { openLane } = await import('./thread.ts')
  await using lane = await openLane('process')
  await lane.run(WARM_UP_TURNS)
  report(await lane.run(turns))
}

function report(run: ThreadRun): void {
  const perTurn = (durationMs: number): number => round((durationMs / turns) * 1_000)
  // A turn, and the whole run by its turns: with its start and its end, which a few turns must carry and many do not feel.
  print({ measure: 'fresh', variant, turns, us: perTurn(turnsOf(run)), wholeUs: perTurn(run.durationMs) })
}
