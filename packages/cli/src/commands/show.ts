import { Command } from 'commander'
import type { RunInfo, ThreadInfo, WaitRow } from '@holdfast/runtime'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { againOf } from '../drive-to-rest.ts'
import type { Driving } from '../driving.ts'
import { drivingOf } from '../driving.ts'
import { renderLabels } from '../label-option.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { name, wholeNumber } from '../option-values.ts'
import { renderPrompt } from '../prompt-text.ts'
import { readBudget } from '../read-budget.ts'
import { readPluginState } from '../read-plugin-state.ts'
import { renderBudget } from '../render-budget.ts'
import { renderWait } from '../render-result.ts'
import { renderCost, renderUsage } from '../render-usage.ts'
import { parseThreadId } from '../thread-id.ts'
import { readTranscript, renderEntry } from '../transcript.ts'
import { toGrantRows } from '../shown-authority.ts'
import type { ThreadGrants } from '../thread-grants.ts'
import { readThreadGrants } from '../thread-grants.ts'
import { toVisibleLine } from '../visible-text.ts'
import { toDecideLine } from '../decide-step.ts'
import { openExisting } from '../workspace.ts'

interface ShowOptions {
  readonly prompt?: string
  readonly try?: number
}

/** `holdfast show` */
export function showCommand(choose: Choose): Command {
  return new Command('show')
    .description('Shows one thread: its state, what it waits for, who drives it, what was said.')
    .argument('<thread>', 'its id')
    .option('--prompt <turn>', "instead, what the model was given at a turn: a number of the latest run, or any turn's id", name)
    .option('--try <number>', 'with --prompt: at this try of the turn (default: the last one)', wholeNumber(1, 1_000_000))
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast show thr_0123456789abcdef
  $ holdfast show thr_0123456789abcdef --json
  $ holdfast show thr_0123456789abcdef --prompt 3

\`state\` is what plugins keep in it. \`may\` is what the thread may do today: what it was started with, and of that what its configuration grants.

With --json: { "thread", "driving", "runs", "waits", "budget", "may", "state", "transcript" }; with --prompt: { "run", "turn", "try", "model", "request" },
where the request is built by the same code as the one that was sent.`
    )
    .action((thread: string, options: ShowOptions) =>
      choose((context) =>
        options.prompt === undefined
          ? show(context, parseThreadId(thread), options)
          : showPrompt(context, parseThreadId(thread), options.prompt, options)
      )
    )
}

async function showPrompt(context: CommandContext, id: string, turn: string, options: ShowOptions): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const given = /^\d+$/.test(turn) ? Number(turn) : turn
  const prompt = await workspace.runtime.thread(id).prompt(given, options.try === undefined ? {} : { try: options.try })
  output.document(prompt)
  for (const line of renderPrompt(prompt)) output.result(line)
  return EXIT.completed
}

async function show(context: CommandContext, id: string, options: ShowOptions): Promise<number> {
  if (options.try !== undefined) throw new Failure('invalid_input', '--try tells the try of the turn that --prompt names.')
  const { output } = context
  await using workspace = await openExisting(context)
  const thread = workspace.runtime.thread(id)
  const info = await thread.info()
  const runs = await thread.runs()
  const { items: waits } = await workspace.runtime.waits({ thread: id })
  const transcript = await readTranscript(thread)
  const driving = await drivingOf(info)
  const budget = await readBudget(thread)
  const may = await readThreadGrants(context, workspace, id)
  const state = await readPluginState(thread)
  output.document({ thread: info, driving, runs, waits, budget, may, state, transcript })
  for (const [name, value] of describe(info, runs, driving)) output.result(`${name.padEnd(12)}${value}`)
  for (const line of budget === null ? [] : renderBudget(budget)) output.result(`${'budget'.padEnd(12)}${line}`)
  if (driving === 'interrupted') output.result(`\nIt was interrupted, and nobody drives it. Go on with: ${againOf(id, context)('resume')}`)
  for (const line of section(
    'waits',
    waits.flatMap((wait) => toWaitLines(wait, context))
  ))
    output.result(line)
  for (const line of section('may', toMayLines(may))) output.result(line)
  for (const line of section('state', toStateLines(state))) output.result(line)
  for (const line of section('conversation', transcript.map(renderEntry))) output.result(line)
  return EXIT.completed
}

function describe(info: ThreadInfo, runs: readonly RunInfo[], driving: Driving): readonly (readonly [string, string])[] {
  const { row, labels } = info
  const notes = [...(row.why === undefined ? [] : [`(${toVisibleLine(row.why)})`]), ...(driving === 'interrupted' ? ['(interrupted)'] : [])]
  return [
    ['thread', info.id],
    ['agent', toVisibleLine(row.agent)],
    ['status', [row.status, ...notes].join(' ')],
    ...(labels === undefined ? [] : [['labels', toVisibleLine(renderLabels(labels), 1000)] as const]),
    ['runs', String(runs.length)],
    ['turns', `${row.turns} in the latest run`],
    ['usage', `${renderUsage(row.usage)}, ${renderCost(row.cost)}`],
    ['owner', describeDriver(info, driving)],
    ['pending', String(info.pending)],
    ['created', new Date(info.createdAt).toISOString()],
    ['last change', new Date(info.at).toISOString()],
    ...(info.timerAt === undefined ? [] : [['timer', new Date(info.timerAt).toISOString()] as const]),
    ...(info.key === undefined ? [] : [['key', toVisibleLine(info.key)] as const]),
    ['publication', info.publication]
  ]
}

function describeDriver({ owner }: ThreadInfo, driving: Driving): string {
  if (owner === undefined) return 'nobody'
  const name = toVisibleLine(owner.worker)
  return driving === 'driven' ? `${name}, until ${new Date(owner.leaseUntil).toISOString()}` : `nobody: ${name} is gone`
}

function toWaitLines(wait: WaitRow, { options }: CommandContext): readonly string[] {
  const line = toDecideLine(wait, options.store)
  return [`  ${renderWait(wait)}`, ...(line === undefined ? [] : [`    ${line}`])]
}

function toMayLines(may: ThreadGrants): readonly string[] {
  if ('problem' in may) return [`  nobody can say: error[${may.problem.code}]: ${toVisibleLine(may.problem.message, 500)}`]
  return toColumns(toGrantRows(may.grants)).map((line) => `  ${line}`)
}

/** What plugins keep, one line for each key. */
function toStateLines(state: Awaited<ReturnType<typeof readPluginState>>): readonly string[] {
  const rows = Object.entries(state).flatMap(([plugin, kept]) =>
    Object.entries(kept).map(([key, value]) => [`${plugin}.${key}`, JSON.stringify(value)] as const)
  )
  return toColumns(rows.map((row) => row.map((cell) => toVisibleLine(cell, 200)))).map((line) => `  ${line}`)
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}
