import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { bytesPerTurn, turnFigure } from './bounds.ts'
import type { Figure } from './figures.ts'

const README = join(import.meta.dirname, '../README.md')
const SECTION = /<!-- bench:(?:begin|start) -->[\s\S]*?<!-- bench:end -->/

const ROWS = [
  ['in memory', 'memory', 'turn'],
  ['SQLite, survives a killed process', 'sqlite-process', 'turn'],
  ['two bare transactions of 2 KiB', 'floor-process', 'turn'],
  ['SQLite, survives a power cut (default)', 'sqlite-power', 'turn'],
  ['two bare transactions of 2 KiB, synced', 'floor-power', 'turn'],
  ['`generateText` of the AI SDK, stores nothing', 'ai-sdk', 'turn'],
  ['SQLite, survives a killed process; in a fresh process', 'sqlite-process', 'fresh'],
  ['`generateText` of the AI SDK; in a fresh process', 'ai-sdk', 'fresh'],
  ['SQLite, survives a killed process; in a fresh process, the whole run by its turns', 'sqlite-process', 'fresh', 'wholeUs'],
  ['`generateText` of the AI SDK; in a fresh process, the whole run by its turns', 'ai-sdk', 'fresh', 'wholeUs']
] as const

/** Writes the tables of a run into the README, between its markers. */
export function writeReadme(figures: readonly Figure[], lengths: readonly number[]): void {
  const text = readFileSync(README, 'utf8')
  if (!SECTION.test(text)) throw new Error('README.md has no <!-- bench:begin --> and <!-- bench:end -->')
  const section = `<!-- bench:begin -->\n${toMarkdown(figures, lengths)}\n<!-- bench:end -->`
  writeFileSync(
    README,
    text.replace(SECTION, () => section)
  )
}

/** The figures as they stand in the README. */
export function toMarkdown(figures: readonly Figure[], lengths: readonly number[]): string {
  return [toMachine(), '', ...toTurnTable(figures, lengths), '', ...toList(figures)].join('\n')
}

function toMachine(): string {
  const [cpu] = cpus()
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  return `Measured on ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memoryGb} GB of memory, Node.js ${process.versions.node}. Microseconds a turn, by the length of the thread; a model without latency, one trivial tool, compiled code where no fresh process is named.`
}

function toTurnTable(figures: readonly Figure[], lengths: readonly number[]): readonly string[] {
  const head = ['a turn in µs', ...lengths.map((length) => `${length} turns`)]
  const rows = ROWS.map(([label, variant, measure, name = 'us']) => [
    label,
    ...lengths.map((length) => {
      const value = turnFigure(figures, variant, length, name, measure)
      return value === undefined ? '' : String(Math.round(value))
    })
  ])
  return [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`)
}

function toList(figures: readonly Figure[]): readonly string[] {
  const get = (measure: string, name: string): string => String(figures.findLast((each) => each.measure === measure)?.[name] ?? '?')
  const loads = figures
    .filter((figure) => figure.measure === 'claim-load')
    .map((figure) => `${figure['turns']} turns in ${figure['ms']} ms`)
  const bytes = bytesPerTurn(figures, 800)
  return [
    `- 200 threads of 50 turns at once, over a file that survives a power cut: ${get('fleet', 'turnsPerSecond')} turns a second, peak memory ${get('fleet', 'peakRssMb')} MB.`,
    `- A turn takes ${bytes ?? '?'} bytes of the file, however long the thread is.`,
    `- From a message to a resting thread until the model is asked, in a file just opened: ${loads.join(', ')}.`,
    `- ${get('resting', 'threads')} threads at rest hold ${get('resting', 'heapMb')} MB of heap and ${get('resting', 'timers')} timer.`,
    `- \`holdfast chat\` shows the first piece of an answer ${get('chat', 'ms')} ms after the model sent it.`,
    `- \`holdfast threads\` over ${get('threads', 'threads')} threads takes ${get('threads', 'ms')} ms, Node's start included; an agent's file of ${get('agent', 'lines')} lines is checked in ${get('agent', 'ms')} ms.`,
    `- \`import '@holdfast/runtime'\` takes ${get('import', 'ms')} ms, \`holdfast --help\` ${get('help', 'ms')} ms.`
  ]
}
