import { Command, InvalidArgumentError } from 'commander'
import type { Labels, Store, WaitKind } from '@holdfast/runtime'
import type { AskWords } from '../ask-words.ts'
import { createAskWords, toRuleSource } from '../ask-words.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { toTerms } from '../drive-options.ts'
import { againOf } from '../drive-to-rest.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { parseWaitId } from '../find-waits.ts'
import { label } from '../label-option.ts'
import type { ListedWait, WaitFilter } from '../list-waits.ts'
import { listAllWaits, listWaits } from '../list-waits.ts'
import { name, wholeNumber } from '../option-values.ts'
import { isThreadId, parseThreadId } from '../thread-id.ts'
import { toVisibleLine } from '../visible-text.ts'
import { toDecideLine } from '../decide-step.ts'
import { describeWait } from '../wait-text.ts'
import { watchWaits } from '../watch-waits.ts'
import { openStoreOnly } from '../workspace.ts'

interface WaitsOptions {
  readonly watch?: boolean
  readonly thread?: string
  readonly kind?: readonly WaitKind[]
  readonly label?: Labels
  readonly limit: number
  readonly after?: string
  readonly ids?: boolean
  readonly jsonl?: boolean
}

const KINDS: readonly WaitKind[] = [
  ...(['approval', 'question', 'agent', 'monitor', 'timer', 'budget', 'event', 'external', 'outcome', 'quarantine', 'missing'] as const)
]

/** `holdfast waits` */
export function waitsCommand(choose: Choose): Command {
  return new Command('waits')
    .description('Lists what waits, of all threads, the oldest first: what would run, who asks, and how to decide.')
    .argument('[wait]', 'only this one, with all of its arguments; or the id of a thread: only those of it')
    .option('--watch', 'go on, and tell of each new one when it is there')
    .option('--thread <thread>', 'only those of this thread', name)
    .option('--kind <list>', `only those of these kinds: ${KINDS.join(', ')}`, parseKinds)
    .option('--label <key=value>', 'only those of threads that were started with this label (repeatable: with all of them)', label)
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1000), 50)
    .option('--after <cursor>', 'go on behind a page: its `next`')
    .option('--ids', 'nothing but the ids, one a line')
    .option('--jsonl', 'one wait a line as JSON; with --watch while they come')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast waits
  $ holdfast waits thr_0123456789abcdef:run_0123456789abcdef//1.0:approval:1
  $ holdfast waits --kind approval,question --label team=blue
  $ holdfast waits --watch --jsonl

With --json: { "items": [...], "next": "..." }; \`next\` is missing on the last page. \`subject\` of an approval holds the
tool, its exact arguments, its effect, and who asks (\`asks\`).`
    )
    .action((wait: string | undefined, options: WaitsOptions) => choose((context) => showWaits(context, wait, options), toTerms(options)))
}

async function showWaits(context: CommandContext, wait: string | undefined, options: WaitsOptions): Promise<number> {
  await using store = await openStoreOnly(context)
  const shower = { context, store, words: createAskWords(toRuleSource(context, store)) }
  if (wait !== undefined && !isThreadId(wait)) return await showOne(shower, parseWaitId(wait))
  const { thread = wait, kind, label: labels } = options
  const filter: WaitFilter = {
    ...(thread === undefined ? {} : { thread: parseThreadId(thread) }),
    ...(kind === undefined ? {} : { kind }),
    ...(labels === undefined ? {} : { label: labels })
  }
  return await (options.watch === true ? watch(shower, filter) : showPage(shower, filter, options))
}

/** What waits are shown with. */
interface Shower {
  readonly context: CommandContext
  readonly store: Store
  readonly words: AskWords
}

async function showPage(shower: Shower, filter: WaitFilter, { limit, after, ids }: WaitsOptions): Promise<number> {
  const { output } = shower.context
  const page = await listWaits(shower.store, filter, { after, limit })
  output.document(page)
  if (page.items.length === 0) output.progress('Nothing waits.')
  for (const wait of page.items) {
    if (ids === true) output.result(wait.id)
    else await showListed(shower, wait)
  }
  if (page.next !== undefined) output.progress(`There are more: --after ${page.next}`)
  return EXIT.completed
}

async function showOne(shower: Shower, id: string): Promise<number> {
  const { context, store, words } = shower
  const { output } = context
  const wait = await store.wait(id)
  const info = wait && (await store.thread(wait.thread))
  if (wait === null || info === null) {
    throw new Failure('invalid_input', `There is no wait ${toVisibleLine(id, 500)}.`, { remedy: 'List what waits with `holdfast waits`.' })
  }
  const listed = { ...wait, agent: info.row.agent }
  output.document(listed)
  output.line(listed)
  if (output.mode === 'text')
    await tell(shower, listed, describeWait(wait, { asks: await words(wait), agent: info.row.agent, whole: true }))
  return EXIT.completed
}

async function watch(shower: Shower, filter: WaitFilter): Promise<number> {
  const { context, store } = shower
  if (context.output.mode === 'json') {
    throw new Failure('invalid_input', '--json gives one document, and --watch has no end.', { remedy: 'Use --jsonl.' })
  }
  context.output.progress('Watching; Ctrl-C ends that and nothing else.')
  const { signal } = context.interruption
  for await (const wait of watchWaits(store, () => listAllWaits(store, filter), signal)) await showListed(shower, wait)
  return context.interruption.exitCode
}

async function showListed(shower: Shower, wait: ListedWait): Promise<void> {
  const { context, words } = shower
  const { output } = context
  output.line(wait)
  if (output.mode === 'text') await tell(shower, wait, describeWait(wait, { asks: await words(wait), agent: wait.agent }))
}

async function tell({ context }: Shower, wait: ListedWait, lines: readonly string[]): Promise<void> {
  const { output, options } = context
  output.result(`${toVisibleLine(wait.id, 1_000)}${wait.state === 'open' ? '' : ` (${wait.state})`}`)
  for (const line of lines) output.result(`  ${line.replaceAll('\n', '\n  ')}`)
  const decide = toDecideLine(wait, options.store)
  if (decide !== undefined) output.result(`  ${'decide'.padEnd(11)}${decide}`)
  if (wait.state === 'decided') output.result(`  ${'go on'.padEnd(11)}${againOf(wait.thread, context)('resume')}`)
  output.result('')
}

function parseKinds(text: string): readonly WaitKind[] {
  return text.split(',').map((each) => {
    const found = KINDS.find((kind) => kind === each.trim())
    if (found === undefined) throw new InvalidArgumentError(`"${each.trim()}" is none of ${KINDS.join(', ')}.`)
    return found
  })
}
