import { Command } from 'commander'
import type { TurnRecord } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { loadRuntime } from '../libraries.ts'
import { parseThreadId } from '../thread-id.ts'
import { openExisting } from '../workspace.ts'

/** `holdfast records` */
export function recordsCommand(choose: Choose): Command {
  return new Command('records')
    .description("Prints a thread's turns that are over, one record a line as JSON: what was asked, answered, called, decided and paid.")
    .argument('<thread>', 'its id')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast records thr_0123456789abcdef > turns.jsonl
  $ holdfast records thr_0123456789abcdef | jq .usage

Records are made from the log alone: the same thread gives the same bytes, those that a record sink has written. Looks
only: works while another process drives the thread. With --json: one array.`
    )
    .action((thread: string) => choose((context) => printRecords(context, parseThreadId(thread))))
}

async function printRecords(context: CommandContext, id: string): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const { toRecordLine } = await loadRuntime()
  const records: TurnRecord[] = []
  for await (const record of workspace.runtime.thread(id).records()) {
    if (output.mode === 'json') records.push(record)
    else output.raw(toRecordLine(record))
  }
  output.document(records)
  return EXIT.completed
}
