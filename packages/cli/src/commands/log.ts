import { Command } from 'commander'
import type { Commit, CommittedEvent, HoldfastEvent, ThreadHandle } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { headOf } from '../drive-to-rest.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { wholeNumber } from '../option-values.ts'
import { createEventRenderer } from '../render-event.ts'
import { parseThreadId } from '../thread-id.ts'
import { toJsonText, toVisibleText } from '../visible-text.ts'
import { openExisting } from '../workspace.ts'

/** How far before the first event is looked for the calls that are open there. */
const COMMITS_BEFORE = 100

interface LogOptions {
  readonly follow?: boolean
  readonly facts?: boolean
  readonly from: number
  readonly jsonl?: boolean
}

/** `holdfast log` */
export function logCommand(choose: Choose): Command {
  return new Command('log')
    .description('Shows what happened in a thread, one line for each thing. Looks only: works while another process drives it.')
    .argument('<thread>', 'its id')
    .option('--follow', 'go on with what happens, until interrupted')
    .option('--facts', 'every fact with all that stands in it')
    .option('--from <sequence>', 'begin with this commit', wholeNumber(1, Number.MAX_SAFE_INTEGER), 1)
    .option('--jsonl', 'one event a line as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast log thr_0123456789abcdef --follow
  $ holdfast log thr_0123456789abcdef --jsonl | grep call.settled

A body of more than 64 KiB stands there by its beginning and its digest: \`holdfast artifacts get\` writes it out.`
    )
    .action((thread: string, options: LogOptions) =>
      choose((context) => showLog(context, parseThreadId(thread), options), { mode: options.jsonl === true ? 'jsonl' : undefined })
    )
}

async function showLog(context: CommandContext, id: string, options: LogOptions): Promise<number> {
  const { output, interruption } = context
  if (options.follow === true && output.mode === 'json') {
    throw new Failure('invalid_input', '--json gives one document, and a log that is followed has no end.', { remedy: 'Use --jsonl.' })
  }
  await using workspace = await openExisting(context)
  const thread = workspace.runtime.thread(id)
  const print = createPrinter(context, options, await thread.log(Math.max(1, options.from - COMMITS_BEFORE)))
  const told: HoldfastEvent[] = []
  for await (const event of readEvents(thread, context, options)) {
    if (output.mode === 'json') told.push(event)
    else print(event)
  }
  output.document(told)
  return interruption.signal.aborted ? interruption.exitCode : EXIT.completed
}

/** Committed events from the asked-for place on, to the head of now or for ever. */
async function* readEvents(
  thread: ThreadHandle,
  { interruption }: CommandContext,
  { from, follow }: LogOptions
): AsyncGenerator<CommittedEvent> {
  const last = await headOf(thread)
  if (follow !== true && from > last.sequence) return
  const after = { sequence: from - 1, index: Number.MAX_SAFE_INTEGER }
  for await (const event of thread.events({ after, follow: true, bodies: 'preview', signal: interruption.signal })) {
    if (!('cursor' in event)) continue
    yield event
    if (follow !== true && event.cursor.sequence === last.sequence && event.cursor.index >= last.index) return
  }
}

function createPrinter({ output }: CommandContext, options: LogOptions, before: readonly Commit[]): (event: CommittedEvent) => void {
  const render = createEventRenderer({ before })
  return (event) => {
    output.line(event)
    const { cursor, at, type, data } = event
    const place = `${new Date(at).toISOString()} ${cursor.sequence}.${cursor.index}`
    if (options.facts === true) output.result(`${place} ${type} ${toVisibleText(toJsonText(data))}`)
    else for (const line of render(event)?.split('\n') ?? []) output.result(`${place} ${line}`)
  }
}
