import type { Figure } from './figures.ts'
import { median } from './figures.ts'

/** A measure that can be repeated by itself; `turn` is one for each length of thread. */
export type MeasureName =
  | `turn ${number}`
  | 'fresh'
  | 'claim-load'
  | 'fleet'
  | 'resting'
  | 'approve'
  | 'waiting'
  | 'sink'
  | 'chat'
  | 'threads'
  | 'agent'
  | 'import'
  | 'help'
  | 'install'

/** Something that must hold. */
export interface Bound {
  readonly name: string
  /** The measures that it is judged by, and that are repeated when it is missed. */
  readonly from: readonly MeasureName[]
  readonly limit: number
  /** Undefined when the figures do not tell. */
  value(figures: readonly Figure[]): number | undefined
  readonly atLeast?: boolean
}

/** The lengths of threads that are measured in fresh processes. */
export const FRESH_LENGTHS = [50, 200, 800] as const

/** The bounds of a run in which threads have these lengths. */
export function toBounds(lengths: readonly number[]): readonly Bound[] {
  return [
    ...lengths.flatMap(turnBounds),
    ...freshBounds(),
    ...(lengths.includes(3_200) ? driftBounds() : []),
    ...(lengths.includes(3_200) && lengths.includes(800) ? [linearBound()] : []),
    {
      name: '200 threads of 50 turns: turns per second',
      from: ['fleet'],
      limit: 5_000,
      atLeast: true,
      value: field('fleet', 'turnsPerSecond')
    },
    { name: '200 threads of 50 turns: peak RSS in MB', from: ['fleet'], limit: 250, value: field('fleet', 'peakRssMb') },
    { name: 'resting threads: MB of heap', from: ['resting'], limit: 5, value: field('resting', 'heapMb') },
    { name: 'resting threads: timers', from: ['resting'], limit: 1, value: field('resting', 'timers') },
    { name: 'approval to the start of the tool, same process, in ms', from: ['approve'], limit: 20, value: field('approve', 'hereMs') },
    {
      name: 'approval to the start of the tool, another process, in ms',
      from: ['approve'],
      limit: 150,
      value: field('approve', 'thereMs')
    },
    { name: 'a start with waiting threads in ms', from: ['waiting'], limit: 1_000, value: field('waiting', 'startMs') },
    { name: 'waiting threads: MB of heap', from: ['waiting'], limit: 10, value: field('waiting', 'heapMb') },
    { name: 'waiting threads: timers', from: ['waiting'], limit: 1, value: field('waiting', 'timers') },
    { name: 'a page of waits in ms', from: ['waiting'], limit: 10, value: field('waiting', 'pageMs') },
    { name: 'a delta through the JSONL sink in µs', from: ['sink'], limit: 20, value: field('sink', 'us') },
    { name: 'a delta of 20,000, times one of 5,000', from: ['sink'], limit: 2, value: field('sink', 'timesQuarter') },
    { name: 'chat shows the first delta after ms', from: ['chat'], limit: 30, value: field('chat', 'ms') },
    { name: 'chat shows the first delta of its first answer after ms', from: ['chat'], limit: 30, value: field('chat', 'firstMs') },
    {
      name: 'holdfast threads over 100,000 threads, the whole command, in ms',
      from: ['threads'],
      limit: 200,
      value: field('threads', 'ms')
    },
    { name: 'a page of 50 of 100,000 threads, by any filter, in ms', from: ['threads'], limit: 20, value: field('threads', 'worstMs') },
    { name: 'an agent file of 2,000 lines in ms', from: ['agent'], limit: 100, value: field('agent', 'ms') },
    { name: 'import in ms', from: ['import'], limit: 150, value: field('import', 'ms') },
    { name: 'holdfast --help in ms', from: ['help'], limit: 300, value: field('help', 'ms') },
    { name: 'installed packages', from: ['install'], limit: 24, value: field('install', 'packages') },
    { name: 'MB installed', from: ['install'], limit: 30, value: field('install', 'mb') }
  ]
}

/** Whether a value keeps its bound. */
export function holds(bound: Bound, value: number): boolean {
  return bound.atLeast ? value >= bound.limit : value <= bound.limit
}

/** The middle of one field of the turns of a length, over the rounds. */
export function turnFigure(
  figures: readonly Figure[],
  variant: string,
  turns: number,
  name: string,
  measure: 'turn' | 'fresh' = 'turn'
): number | undefined {
  const values = figures
    .filter((figure) => figure.measure === measure && figure['variant'] === variant && figure['turns'] === turns)
    .map((figure) => figure[name])
    .filter((value) => typeof value === 'number')
  return values.length === 0 ? undefined : median(values)
}

function turnBounds(turns: number): readonly Bound[] {
  const from: readonly MeasureName[] = [`turn ${turns}`]
  return [
    {
      name: `a turn of ${turns}, power: times the floor`,
      from,
      limit: 1.5,
      value: (figures) => turnFigure(figures, 'sqlite-power', turns, 'timesFloor')
    },
    {
      name: `a turn of ${turns}, process: times the floor`,
      from,
      limit: 3.5,
      value: (figures) => turnFigure(figures, 'sqlite-process', turns, 'timesFloor')
    }
  ]
}

/** Against the AI SDK threads are measured as in our comparison of runtimes, each in a fresh process: a turn at each length, and the whole job. */
function freshBounds(): readonly Bound[] {
  const whole = (figures: readonly Figure[], variant: string): number =>
    FRESH_LENGTHS.reduce((sum, turns) => sum + turns * (turnFigure(figures, variant, turns, 'wholeUs', 'fresh') ?? Number.NaN), 0)
  return [
    ...FRESH_LENGTHS.map(
      (turns): Bound => ({
        name: `a turn of ${turns} in a fresh process, process: times the AI SDK's generateText`,
        from: ['fresh'],
        limit: 1,
        value: (figures) =>
          ratio(turnFigure(figures, 'sqlite-process', turns, 'us', 'fresh'), turnFigure(figures, 'ai-sdk', turns, 'us', 'fresh'))
      })
    ),
    {
      name: 'the whole job in fresh processes, start and end too, process: times the AI SDK',
      from: ['fresh'],
      limit: 1,
      value: (figures) => {
        const times = whole(figures, 'sqlite-process') / whole(figures, 'ai-sdk')
        return Number.isNaN(times) ? undefined : times
      }
    }
  ]
}

function driftBounds(): readonly Bound[] {
  return ['sqlite-process', 'sqlite-power'].map((variant) => ({
    name: `${variant}: the last 50 of 3200 turns, times turns 25 to 75`,
    from: ['turn 3200'],
    limit: 1.3,
    value: (figures) => turnFigure(figures, variant, 3_200, 'lastToFirst')
  }))
}

function linearBound(): Bound {
  return {
    name: 'bytes per turn of 3200, times those of 800',
    from: ['turn 800', 'turn 3200'],
    limit: 1.05,
    value: (figures) => ratio(bytesPerTurn(figures, 3_200), bytesPerTurn(figures, 800))
  }
}

/** What a turn of a thread of this length takes of the store's file. */
export function bytesPerTurn(figures: readonly Figure[], turns: number): number | undefined {
  const value = figures.findLast((figure) => figure.measure === 'bytes' && figure['turns'] === turns)?.['bytesPerTurn']
  return typeof value === 'number' ? value : undefined
}

function field(measure: string, name: string): Bound['value'] {
  return (figures) => {
    const value = figures.findLast((figure) => figure.measure === measure)?.[name]
    return typeof value === 'number' ? value : undefined
  }
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b
}
