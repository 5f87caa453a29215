// A process of its own: what a turn costs at one length of thread, on every store, between two halves of the floor of the same run.
import { measureAiSdk } from './aisdk.ts'
import { median, print, round } from './figures.ts'
import type { Floor } from './floor.ts'
import { openFloor } from './floor.ts'
import type { Lane } from './thread.ts'
import { openLane } from './thread.ts'
import type { ThreadRun } from './thread-run.ts'
import { turnsOf } from './thread-run.ts'

// Compiled code is what is measured: a server's, not a script's. `fresh.ts` has the script's.
const WARM_UP_TURNS = 800
const WARM_UP_RUNS = 3

const turns = Number(process.argv[2] ?? 50)
const rounds = Number(process.argv[3] ?? 1)

await using memory = await openLane('memory')
await using onProcess = await openLane('process')
await using onPower = await openLane('power')
using processFloor = openFloor('process')
using powerFloor = openFloor('power')

for (let run = 0; run < WARM_UP_RUNS; run++) {
  processFloor.run(WARM_UP_TURNS)
  await onProcess.run(WARM_UP_TURNS)
  await memory.run(WARM_UP_TURNS)
  await measureAiSdk(WARM_UP_TURNS)
}
await onPower.run(WARM_UP_TURNS)
for (let index = 0; index < rounds; index++) {
  await runBesideFloor('process', onProcess, processFloor, index)
  await runBesideFloor('power', onPower, powerFloor, index)
  const run = await memory.run(turns)
  report('memory', index, turnsOf(run), run)
  const other = await measureAiSdk(turns)
  report('ai-sdk', index, turnsOf(other), other)
}
await reportBytes()

async function runBesideFloor(durability: string, lane: Lane, floor: Floor, index: number): Promise<void> {
  const before = floor.run(Math.ceil(turns / 2))
  const run = await lane.run(turns)
  const floorMs = before + floor.run(Math.floor(turns / 2))
  report(`floor-${durability}`, index, floorMs)
  report(`sqlite-${durability}`, index, turnsOf(run), run, floorMs)
}

function report(variant: string, index: number, durationMs: number, run?: ThreadRun, floorMs?: number): void {
  print({
    measure: 'turn',
    variant,
    turns,
    round: index,
    us: round((durationMs / turns) * 1_000),
    ...(floorMs === undefined ? {} : { timesFloor: round(durationMs / floorMs, 2) }),
    // The start of the run, and its end.
    ...(run ? { aroundMs: round(run.durationMs - durationMs, 2), ...drift(run) } : {})
  })
}

async function reportBytes(): Promise<void> {
  await using lane = await openLane('process')
  await lane.run(turns)
  print({ measure: 'bytes', turns, bytesPerTurn: Math.round((await lane.close()) / turns) })
}

/** How much longer the last 50 turns took than turns 25 to 75. */
function drift({ askedAt }: ThreadRun): { readonly lastToFirst?: number } {
  if (askedAt.length < 200) return {}
  const gaps = askedAt.slice(1).map((at, turn) => at - (askedAt[turn] ?? at))
  return { lastToFirst: round(median(gaps.slice(-50)) / median(gaps.slice(25, 75)), 2) }
}
