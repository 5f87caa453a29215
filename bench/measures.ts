import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { MeasureName } from './bounds.ts'
import type { Figure } from './figures.ts'
import { measureHelp, measureImport, measureInstall } from './start-up.ts'

/** How much is measured. */
export interface Extent {
  readonly lengths: readonly number[]
  readonly rounds: number
  readonly restingThreads: number
  readonly install: boolean
}

/** The measures of a run, in order. */
export function listMeasures(extent: Extent): readonly MeasureName[] {
  const turns = extent.lengths.map((length): MeasureName => `turn ${length}`)
  return [...turns, 'claim-load', 'fleet', 'resting', 'import', 'help', ...(extent.install ? (['install'] as const) : [])]
}

/** Takes one measure, in a process of its own. */
export function measure(name: MeasureName, extent: Extent): readonly Figure[] {
  switch (name) {
    case 'claim-load':
      return runFile('claim-load.ts', [])
    case 'fleet':
      return runFile('fleet.ts', [])
    case 'resting':
      return runFile('resting.ts', [String(extent.restingThreads)], ['--expose-gc'])
    case 'import':
      return [measureImport()]
    case 'help':
      return [measureHelp()]
    case 'install':
      return [measureInstall()]
    default:
      return runFile('turn-cost.ts', [name.slice('turn '.length), String(extent.rounds)])
  }
}

function runFile(file: string, args: readonly string[], flags: readonly string[] = []): readonly Figure[] {
  const command = ['--conditions=@holdfast/source', ...flags, join(import.meta.dirname, file), ...args]
  const output = execFileSync(process.execPath, command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure)
}
