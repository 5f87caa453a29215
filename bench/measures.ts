import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MeasureName } from './bounds.ts'
import { FRESH_LENGTHS } from './bounds.ts'
import type { Figure } from './figures.ts'
import { measureHelp, measureImport, measureInstall } from './start-up.ts'

const ROOT = join(import.meta.dirname, '..')
const COMPILED = join(ROOT, 'node_modules/.cache/holdfast-bench')

/** How much is measured. */
export interface Extent {
  readonly lengths: readonly number[]
  /** How many turns a length is measured over: short threads are measured more often. */
  readonly turnsPerLength: number
  readonly freshRounds: number
  readonly restingThreads: number
  readonly install: boolean
}

/** The measures of a run, in order. */
export function listMeasures(extent: Extent): readonly MeasureName[] {
  const turns = extent.lengths.map((length): MeasureName => `turn ${length}`)
  return [
    ...turns,
    'fresh',
    'claim-load',
    'fleet',
    'resting',
    'approve',
    'waiting',
    'sink',
    'chat',
    'threads',
    'agent',
    'import',
    'help',
    ...(extent.install ? (['install'] as const) : [])
  ]
}

/** Takes one measure, in a process of its own. */
export function measure(name: MeasureName, extent: Extent): readonly Figure[] {
  switch (name) {
    case 'fresh':
      return measureFresh(extent)
    case 'claim-load':
      return runFile('claim-load.js', [])
    case 'fleet':
      return runFile('fleet.js', [])
    case 'resting':
      return runFile('resting.js', [String(extent.restingThreads)], ['--expose-gc'])
    case 'approve':
      return runFile('approve.js', [])
    case 'waiting':
      return runFile('waiting.js', [String(extent.restingThreads)], ['--expose-gc'])
    case 'sink':
      return runFile('sink.js', [])
    case 'chat':
      return runFile('chat-echo.js', [])
    case 'threads':
      return runFile('thread-list.js', [])
    case 'agent':
      return runFile('agent-check.js', [])
    case 'import':
      return [measureImport()]
    case 'help':
      return [measureHelp()]
    case 'install':
      return [measureInstall()]
    default:
      return measureTurns(Number(name.slice('turn '.length)), extent)
  }
}

/** Builds the packages, and this folder to plain JavaScript: what erases types in Node has a weight of its own. */
export function build(): void {
  mkdirSync(COMPILED, { recursive: true })
  writeFileSync(join(COMPILED, 'package.json'), '{"type":"module"}')
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'bench'], { cwd: ROOT, stdio: 'inherit' })
}

function measureTurns(length: number, { turnsPerLength }: Extent): readonly Figure[] {
  const rounds = Math.min(15, Math.max(1, Math.round(turnsPerLength / length)))
  return runFile('turn-cost.js', [String(length), String(rounds)])
}

function measureFresh({ freshRounds }: Extent): readonly Figure[] {
  return Array.from({ length: freshRounds }, () =>
    FRESH_LENGTHS.flatMap((length) => ['sqlite-process', 'ai-sdk'].flatMap((variant) => runFile('fresh.js', [variant, String(length)])))
  ).flat()
}

function runFile(file: string, args: readonly string[], flags: readonly string[] = []): readonly Figure[] {
  const command = [...flags, join(COMPILED, file), ...args]
  const output = execFileSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure)
}
