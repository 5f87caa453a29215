import { Command } from 'commander'
import type { Cost, Page, Runtime, ThreadInfo, Usage } from '@holdfast/runtime'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { loadRuntime } from '../libraries.ts'
import type { ListOptions } from '../list-options.ts'
import { addListOptions, toThreadQuery } from '../list-options.ts'
import { wholeNumber } from '../option-values.ts'
import { plural } from '../plural.ts'
import { renderCost, renderUsage } from '../render-usage.ts'
import type { Spent } from '../spending.ts'
import { createTotal, readSpent } from '../spending.ts'
import { parseThreadId } from '../thread-id.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openExisting } from '../workspace.ts'

interface UsageOptions extends ListOptions {
  readonly limit: number
}

type Entry = Spent & { readonly thread: string; readonly agent: string; readonly status: string }

/** `holdfast usage` */
export function usageCommand(choose: Choose): Command {
  const command = new Command('usage')
    .description('Tells the tokens and the cost of one thread by its runs, or of all threads.')
    .argument('[thread]', 'its id')
  return addListOptions(command, { since: 'only model calls since then' })
    .option('--limit <count>', 'how many threads to list at most, the latest first; the total is of all', wholeNumber(0, 1000), 50)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast usage
  $ holdfast usage --since 7d --json
  $ holdfast usage --label team=blue --status completed
  $ holdfast usage thr_0123456789abcdef

A cost that is not known is said to be unknown, and the total then to be at least what is known. Failed and cancelled
calls count as far as the provider told.
With --json: { "items": [{ "thread" or "run", "usage", "cost" }], "total": { "threads" or "runs", "usage", "cost",
"knownCost", "unknown" }, "since"?, "next"? }; the total is of all pages.`
    )
    .action((thread: string | undefined, options: UsageOptions) =>
      choose((context) => (thread === undefined ? showAll(context, options) : showOne(context, parseThreadId(thread), options)))
    )
}

async function showAll(context: CommandContext, options: UsageOptions): Promise<number> {
  const { output } = context
  const { since } = options
  await using workspace = await openExisting(context)
  const { runtime } = workspace
  const total = createTotal(await loadRuntime())
  const spentOf = async ({ id, row }: ThreadInfo): Promise<Spent> =>
    since === undefined ? { usage: row.usage, cost: row.cost } : total.sum(await readSpent(runtime.thread(id), since))
  const { items: listed, next } = await readPage(runtime, options)
  const items: Entry[] = []
  for (const info of listed) items.push({ thread: info.id, agent: info.row.agent, status: info.row.status, ...(await spentOf(info)) })
  for await (const info of allThreads(runtime, options)) total.add(await spentOf(info))
  const { count, ...sums } = total.value
  output.document({
    ...{ items, total: { threads: count, ...sums } },
    ...(since === undefined ? {} : { since }),
    ...(next === undefined ? {} : { next })
  })
  for (const line of toColumns(
    items.map(({ thread, agent, status, ...spent }) => [thread, toVisibleLine(agent, 40), status, ...toCells(spent)])
  ))
    output.result(line)
  if (next !== undefined) output.progress(`There are more: --after ${next}`)
  output.result(`${plural(count, 'thread')}: ${renderTotal(total.value, 'thread')}`)
  return EXIT.completed
}

async function showOne(context: CommandContext, id: string, options: UsageOptions): Promise<number> {
  const { output } = context
  const { since, status, label, after } = options
  if (status !== undefined || label !== undefined || after !== undefined) {
    throw new Failure('invalid_input', '--status, --label and --after choose among threads, and one is named.', {
      remedy: 'Leave them out, or the id.'
    })
  }
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

/** The threads to be listed, and where the next page begins. */
async function readPage(runtime: Runtime, options: UsageOptions): Promise<Page<ThreadInfo>> {
  const { limit, after } = options
  if (limit === 0) return { items: [] }
  return await runtime.threads({ ...toThreadQuery(options), limit, ...(after === undefined ? {} : { after }) })
}

async function* allThreads(runtime: Runtime, options: ListOptions): AsyncGenerator<ThreadInfo> {
  for (let after: string | undefined; ; ) {
    const page = await runtime.threads({ ...toThreadQuery(options), limit: 1000, ...(after === undefined ? {} : { after }) })
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
