// A process of its own: what a turn costs at one length of thread, on every store, between two halves of the floor of the same run.
import { measureAiSdk } from './aisdk.ts'
import { median, print, round } from './figures.ts'
import { measureFloor } from './floor.ts'
import type { Durability } from './store.ts'
import type { ThreadRun } from './thread.ts'
import { runThread } from './thread.ts'

// Compiled code is what is measured: a server's, not a script's.
const WARM_UP_TURNS = 800
const WARM_UP_RUNS = 3

const turns = Number(process.argv[2] ?? 50)
const rounds = Number(process.argv[3] ?? 1)

for (let run = 0; run < WARM_UP_RUNS; run++) {
  await runThread(WARM_UP_TURNS, 'process')
  await runThread(WARM_UP_TURNS, 'memory')
  await measureAiSdk(WARM_UP_TURNS)
}
for (let index = 0; index < rounds; index++) await runAll(turns, index)

async function runAll(length: number, index: number): Promise<void> {
  for (const durability of ['process', 'power'] as const) await runBesideFloor(length, durability, index)
  const memory = await runThread(length, 'memory')
  const aiSdkMs = await measureAiSdk(length)
  print({ measure: 'turn', variant: 'memory', turns: length, round: index, us: perTurn(memory.durationMs, length), ...drift(memory) })
  print({ measure: 'turn', variant: 'ai-sdk', turns: length, round: index, us: perTurn(aiSdkMs, length) })
}

async function runBesideFloor(length: number, durability: Durability, index: number): Promise<void> {
  const before = measureFloor(Math.ceil(length / 2), durability)
  const run = await runThread(length, durability)
  const after = measureFloor(Math.floor(length / 2), durability)
  const floor = before + after
  const common = { turns: length, round: index }
  print({ measure: 'turn', variant: `floor-${durability}`, ...common, us: perTurn(floor, length) })
  print({
    measure: 'turn',
    variant: `sqlite-${durability}`,
    ...common,
    us: perTurn(run.durationMs, length),
    timesFloor: round(run.durationMs / floor, 2),
    bytesPerTurn: Math.round(run.bytes / length),
    ...drift(run)
  })
}

function perTurn(durationMs: number, length: number): number {
  return round((durationMs / length) * 1_000)
}

/** How much longer the last 50 turns took than turns 25 to 75. */
function drift({ askedAt }: ThreadRun): { readonly lastToFirst?: number } {
  if (askedAt.length < 200) return {}
  const gaps = askedAt.slice(1).map((at, turn) => at - (askedAt[turn] ?? at))
  return { lastToFirst: round(median(gaps.slice(-50)) / median(gaps.slice(25, 75)), 2) }
}
