import { Command } from 'commander'
import type { Cost, Runtime, ThreadInfo, Usage } from '@holdfast/runtime'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { loadRuntime } from '../libraries.ts'
import { wholeNumber } from '../option-values.ts'
import { plural } from '../plural.ts'
import { pointInTime } from '../point-in-time.ts'
import { renderCost, renderUsage } from '../render-result.ts'
import type { Spent } from '../spending.ts'
import { createTotal, readSpent } from '../spending.ts'
import { parseThreadId } from '../thread-id.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openExisting } from '../workspace.ts'

interface UsageOptions {
  readonly since?: number
  readonly limit: number
}

type Entry = Spent & { readonly thread: string; readonly agent: string; readonly status: string }

/** `holdfast usage` */
export function usageCommand(choose: Choose): Command {
  return new Command('usage')
    .description('Tells the tokens and the cost of one thread by its runs, or of all threads.')
    .argument('[thread]', 'its id')
    .option('--since <time>', 'only model calls since then: 2026-11-30, 2026-11-30T08:00Z, or how long ago: 7d', pointInTime)
    .option('--limit <count>', 'how many threads to list, the latest first; the total is of all', wholeNumber(0, 1_000_000), 50)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast usage
  $ holdfast usage --since 7d --json
  $ holdfast usage thr_0123456789abcdef

A cost that is not known is said to be unknown, and the total then to be at least what is known. Failed and cancelled
calls count as far as the provider told.
With --json: { "items": [{ "thread" or "run", "usage", "cost" }], "total": { "threads" or "runs", "usage", "cost",
"knownCost", "unknown" }, "since"? }.`
    )
    .action((thread: string | undefined, options: UsageOptions) =>
      choose((context) => (thread === undefined ? showAll(context, options) : showOne(context, parseThreadId(thread), options)))
    )
}

async function showAll(context: CommandContext, { since, limit }: UsageOptions): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const { runtime } = workspace
  const total = createTotal(await loadRuntime())
  const items: Entry[] = []
  for await (const info of allThreads(runtime, since)) {
    const spent =
      since === undefined ? { usage: info.row.usage, cost: info.row.cost } : total.sum(await readSpent(runtime.thread(info.id), since))
    total.add(spent)
    if (items.length < limit) items.push({ thread: info.id, agent: info.row.agent, status: info.row.status, ...spent })
  }
  const { count, ...sums } = total.value
  output.document({ items, total: { threads: count, ...sums }, ...(since === undefined ? {} : { since }) })
  for (const line of toColumns(
    items.map(({ thread, agent, status, ...spent }) => [thread, toVisibleLine(agent, 40), status, ...toCells(spent)])
  ))
    output.result(line)
  if (count > items.length) output.progress(`${plural(count - items.length, 'more thread')} in the total: --limit ${count}`)
  output.result(`${plural(count, 'thread')}: ${renderTotal(total.value, 'thread')}`)
  return EXIT.completed
}

async function showOne(context: CommandContext, id: string, { since }: UsageOptions): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const thread = workspace.runtime.thread(id)
  const statuses = new Map((await thread.runs()).map(({ run, status }) => [run, status]))
  const total = createTotal(await loadRuntime())
  const spent = await readSpent(thread, since ?? 0)
  const runs = since === undefined ? new Set([...statuses.keys(), ...spent.keys()]) : spent.keys()
  const items = [...runs].map((run) => {
    const own = spent.get(run) ?? total.sum(new Map())
    total.add(own)
    return { run, status: statuses.get(run) ?? 'running', ...own }
  })
  const { count, ...sums } = total.value
  output.document({ thread: id, items, total: { runs: count, ...sums }, ...(since === undefined ? {} : { since }) })
  for (const line of toColumns(items.map(({ run, status, ...spent }) => [toVisibleLine(run), status, ...toCells(spent)])))
    output.result(line)
  output.result(`${plural(count, 'run')}: ${renderTotal(total.value, 'run')}`)
  return EXIT.completed
}

async function* allThreads(runtime: Runtime, since: number | undefined): AsyncGenerator<ThreadInfo> {
  for (let after: string | undefined; ; ) {
    const query = { limit: 1000, ...(since === undefined ? {} : { since }), ...(after === undefined ? {} : { after }) }
    const page = await runtime.threads(query)
    yield* page.items
    if (page.next === undefined) return
    after = page.next
  }
}

function toCells({ usage, cost }: { readonly usage: Usage; readonly cost: Cost }): readonly string[] {
  return [renderUsage(usage), renderCost(cost)]
}

function renderTotal(
  { usage, knownCost, unknown }: { readonly usage: Usage; readonly knownCost: number; readonly unknown: number },
  what: string
): string {
  const cost = unknown === 0 ? renderCost(knownCost) : `at least ${renderCost(knownCost)}, the cost of ${plural(unknown, what)} is unknown`
  return `${renderUsage(usage)}, ${cost}`
}
