import { Command } from 'commander'
import type { RunInfo, ThreadInfo, WaitRow } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { renderCost, renderUsage, renderWait } from '../render-result.ts'
import { parseThreadId } from '../thread-id.ts'
import { readTranscript, renderEntry } from '../transcript.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openExisting } from '../workspace.ts'

/** `holdfast show` */
export function showCommand(choose: Choose): Command {
  return new Command('show')
    .description('Shows one thread: its state, what it waits for, who drives it, what was said.')
    .argument('<thread>', 'its id')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast show thr_0123456789abcdef
  $ holdfast show thr_0123456789abcdef --json

With --json: { "thread", "runs", "waits", "transcript" }.`
    )
    .action((thread: string) => choose((context) => show(context, parseThreadId(thread))))
}

async function show(context: CommandContext, id: string): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const thread = workspace.runtime.thread(id)
  const info = await thread.info()
  const runs = await thread.runs()
  const { items: waits } = await workspace.runtime.waits({ thread: id })
  const transcript = await readTranscript(thread)
  output.document({ thread: info, runs, waits, transcript })
  for (const [name, value] of describe(info, runs)) output.result(`${name.padEnd(12)}${value}`)
  for (const line of section('waits', waits.map(toWaitLine))) output.result(line)
  for (const line of section('conversation', transcript.map(renderEntry))) output.result(line)
  return EXIT.completed
}

function describe(info: ThreadInfo, runs: readonly RunInfo[]): readonly (readonly [string, string])[] {
  const { row, owner } = info
  return [
    ['thread', info.id],
    ['agent', toVisibleLine(row.agent)],
    ['status', row.why === undefined ? row.status : `${row.status} (${toVisibleLine(row.why)})`],
    ['runs', String(runs.length)],
    ['turns', `${row.turns} in the latest run`],
    ['usage', `${renderUsage(row.usage)}, ${renderCost(row.cost)}`],
    ['owner', owner === undefined ? 'nobody' : `${toVisibleLine(owner.worker)}, until ${new Date(owner.leaseUntil).toISOString()}`],
    ['pending', String(info.pending)],
    ['created', new Date(info.createdAt).toISOString()],
    ['last change', new Date(info.at).toISOString()],
    ...(info.timerAt === undefined ? [] : [['timer', new Date(info.timerAt).toISOString()] as const]),
    ...(info.key === undefined ? [] : [['key', toVisibleLine(info.key)] as const]),
    ['publication', info.publication]
  ]
}

function toWaitLine(wait: WaitRow): string {
  return `  ${renderWait(wait)}`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}
