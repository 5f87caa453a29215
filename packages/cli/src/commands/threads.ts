import { Command, InvalidArgumentError } from 'commander'
import type { RunStatus, ThreadInfo } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { toColumns } from '../columns.ts'
import { EXIT } from '../exit-code.ts'
import { wholeNumber } from '../option-values.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openExisting } from '../workspace.ts'

const STATUSES: readonly RunStatus[] = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'stopped']

interface ThreadsOptions {
  readonly status?: readonly RunStatus[]
  readonly limit: number
  readonly after?: string
}

/** `holdfast threads` */
export function threadsCommand(choose: Choose): Command {
  return new Command('threads')
    .description('Lists threads, the latest activity first.')
    .option('--status <list>', `only threads in these states: ${STATUSES.join(', ')}`, parseStatuses)
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1000), 50)
    .option('--after <cursor>', 'go on behind a page: its `next`')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast threads --status waiting,running
  $ holdfast threads --json --limit 1000

With --json: { "items": [...], "next": "..." }; \`next\` is missing on the last page.`
    )
    .action((options: ThreadsOptions) => choose((context) => listThreads(context, options)))
}

async function listThreads(context: CommandContext, { status, limit, after }: ThreadsOptions): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const page = await workspace.runtime.threads({
    limit,
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { after })
  })
  output.document(page)
  if (page.items.length === 0) output.progress('No threads.')
  for (const line of toTable(page.items)) output.result(line)
  if (page.next !== undefined) output.progress(`There are more: --after ${page.next}`)
  return EXIT.completed
}

function toTable(items: readonly ThreadInfo[]): readonly string[] {
  const rows = items.map(({ id, row, at, owner }) => [
    id,
    row.status,
    toVisibleLine(row.agent, 40),
    `${row.turns} turns`,
    new Date(at).toISOString(),
    [row.why, owner === undefined ? undefined : `driven by ${owner.worker}`]
      .flatMap((each) => each ?? [])
      .map((each) => toVisibleLine(each))
      .join(', ')
  ])
  return toColumns(rows)
}

function parseStatuses(text: string): readonly RunStatus[] {
  return text.split(',').map((each) => {
    const found = STATUSES.find((status) => status === each.trim())
    if (found === undefined) throw new InvalidArgumentError(`"${each.trim()}" is none of ${STATUSES.join(', ')}.`)
    return found
  })
}
