// `npm run bench`: JSON lines of what a turn costs, measured on the built packages, as an install gets them.
import { parseArgs } from 'node:util'
import type { Bound, MeasureName } from './bounds.ts'
import { holds, toBounds } from './bounds.ts'
import type { Figure } from './figures.ts'
import { print, round } from './figures.ts'
import type { Extent } from './measures.ts'
import { build, listMeasures, measure } from './measures.ts'
import { writeReadme } from './table.ts'

const USAGE = `npm run bench -- [--check] [--quick] [--only MEASURE ...] [--install] [--readme]

  --check    fails when a bound is missed in three rounds; a missed one is measured again
  --quick    a short run, without the longest threads
  --only     only these measures: turn 50, turn 200, turn 800, turn 3200, fresh, claim-load, fleet, resting, approve, waiting, sink, chat, threads, agent, import, help, install
  --install  also installs the packed package in an empty folder, which asks the registry
  --readme   writes the table into README.md`

const MAX_ROUNDS = 3

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    install: { type: 'boolean', default: false },
    readme: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false }
  }
})

if (options.help) console.log(USAGE)
else run()

function run(): void {
  const extent: Extent = options.quick
    ? { lengths: [50, 800], turnsPerLength: 800, freshRounds: 1, restingThreads: 2_000, install: options.install }
    : { lengths: [50, 200, 800, 3_200], turnsPerLength: 9_600, freshRounds: 15, restingThreads: 10_000, install: options.install }
  const { only } = options
  build()
  const figures: Figure[] = []
  for (const name of listMeasures(extent)) if (only.length === 0 || only.includes(name)) figures.push(...take(name, extent))
  if (options.readme) writeReadme(figures, extent.lengths)
  if (options.check) check(figures, extent)
}

function take(name: MeasureName, extent: Extent): readonly Figure[] {
  const figures = measure(name, extent)
  for (const figure of figures) print(figure)
  return figures
}

function check(first: readonly Figure[], extent: Extent): void {
  let missed = judge(toBounds(extent.lengths), first)
  for (let again = 2; again <= MAX_ROUNDS && missed.length > 0; again++) {
    const figures = [...new Set(missed.flatMap((bound) => bound.from))].flatMap((name) => take(name, extent))
    missed = judge(missed, figures)
  }
  if (missed.length === 0) return
  console.error(`missed in ${MAX_ROUNDS} rounds:\n${missed.map((bound) => `  ${bound.name}`).join('\n')}`)
  process.exitCode = 1
}

/** Prints how the bounds are kept and gives those that are missed. What the figures do not tell is not judged. */
function judge(bounds: readonly Bound[], figures: readonly Figure[]): readonly Bound[] {
  return bounds.filter((bound) => {
    const value = bound.value(figures)
    if (value === undefined) return false
    const ok = holds(bound, value)
    print({ measure: 'bound', name: bound.name, value: round(value, 2), limit: bound.limit, ok })
    return !ok
  })
}
