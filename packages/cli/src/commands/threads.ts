import { Command } from 'commander'
import type { Store, ThreadInfo, WaitRow } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { toColumns } from '../columns.ts'
import { againOf } from '../drive-to-rest.ts'
import type { Driving } from '../driving.ts'
import { drivingOf } from '../driving.ts'
import { renderLabels } from '../label-option.ts'
import type { ListOptions } from '../list-options.ts'
import { addListOptions, toThreadQuery } from '../list-options.ts'
import { isForPeople } from '../decide-step.ts'
import { EXIT } from '../exit-code.ts'
import { loadLook } from '../libraries.ts'
import { wholeNumber } from '../option-values.ts'
import { plural } from '../plural.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openStoreOnly } from '../workspace.ts'

interface ThreadsOptions extends ListOptions {
  readonly limit: number
}

type Entry = ThreadInfo & { readonly driving: Driving; readonly waits?: readonly Pick<WaitRow, 'id' | 'kind'>[] }

/** `holdfast threads` */
export function threadsCommand(choose: Choose): Command {
  return addListOptions(new Command('threads').description('Lists threads, the latest activity first.'), {
    since: 'only threads that something happened in since then'
  })
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1000), 50)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast threads --status waiting,running
  $ holdfast threads --label team=blue --since 7d
  $ holdfast threads --json --limit 1000

With --json: { "items": [...], "next": "..." }; \`next\` is missing on the last page. \`driving\` of an item says who
goes on with it: "driven", "pausing" until its \`timerAt\`, "interrupted" (its run is under way and nobody drives it:
\`holdfast resume\` does), "queued" or "resting"; \`waits\` of a waiting one has the ids and kinds of what it waits for.`
    )
    .action((options: ThreadsOptions) => choose((context) => listThreads(context, options)))
}

async function listThreads(context: CommandContext, options: ThreadsOptions): Promise<number> {
  const { output } = context
  await using store = await openStoreOnly(context)
  const { DEFAULT_TENANT } = await loadLook()
  const { limit, after } = options
  const page = await store.threads({ tenant: DEFAULT_TENANT, ...toThreadQuery(options), limit, ...(after === undefined ? {} : { after }) })
  const items = await Promise.all(page.items.map((info) => toEntry(info, store)))
  output.document({ ...page, items })
  if (items.length === 0) output.progress('No threads.')
  for (const line of toTable(items)) output.result(line)
  const interrupted = items.find(({ driving }) => driving === 'interrupted')
  if (interrupted !== undefined) output.progress(`Go on with an interrupted one: ${againOf(interrupted.id, context)('resume')}`)
  if (items.some(({ waits = [] }) => waits.some(({ kind }) => isForPeople(kind))))
    output.progress('What waits for a person: holdfast waits')
  if (page.next !== undefined) output.progress(`There are more: --after ${page.next}`)
  return EXIT.completed
}

/** Of a waiting thread also what it waits for. */
async function toEntry(info: ThreadInfo, store: Store): Promise<Entry> {
  const entry = { ...info, driving: await drivingOf(info) }
  if (info.row.status !== 'waiting') return entry
  const { items } = await store.waits({ tenant: info.tenant, thread: info.id })
  return { ...entry, waits: items.map(({ id, kind }) => ({ id, kind })) }
}

function toTable(items: readonly Entry[]): readonly string[] {
  return toColumns(
    items.map((entry) => {
      const { id, row, at } = entry
      const notes = describe(entry).map((each) => toVisibleLine(each))
      return [id, row.status, toVisibleLine(row.agent, 40), plural(row.turns, 'turn'), new Date(at).toISOString(), notes.join(', ')]
    })
  )
}

function describe({ row, owner, labels, driving, waits = [] }: Entry): readonly string[] {
  return [
    ...(row.why === undefined ? [] : [row.why]),
    ...countByKind(waits),
    ...(driving === 'interrupted' ? ['interrupted: nobody drives it'] : []),
    ...(driving === 'driven' && owner !== undefined ? [`driven by ${owner.worker}`] : []),
    ...(labels === undefined ? [] : [renderLabels(labels)])
  ]
}

function countByKind(waits: NonNullable<Entry['waits']>): readonly string[] {
  return [...Map.groupBy(waits, ({ kind }) => kind)].map(([kind, each]) => plural(each.length, kind))
}
