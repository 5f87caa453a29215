import { Command } from 'commander'
import type { RunStatus, ThreadInfo } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import type { DeliveryOptions } from '../delivery.ts'
import { send } from '../delivery.ts'
import { EXIT } from '../exit-code.ts'
import { parseThreadId } from '../thread-id.ts'
import { grace } from '../time-limit.ts'
import { openExisting } from '../workspace.ts'

interface CancelOptions extends DeliveryOptions {
  readonly reason?: string
  readonly grace?: number
}

const ENDED: ReadonlySet<RunStatus> = new Set<RunStatus>(['completed', 'failed', 'cancelled', 'stopped'])
const DONE: ReadonlySet<number> = new Set([EXIT.completed, EXIT.failed, EXIT.cancelled, EXIT.stopped])

/** `holdfast cancel` */
export function cancelCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('cancel')
      .description('Ends the run of a thread: its model call and its tools are aborted. The thread takes later messages.')
      .argument('<thread>', 'its id')
      .option('--reason <text>', 'why, for the record')
      .option('--grace <time>', 'how long a running tool may still say what became of it: 0, 500, 10s (default: 2s)', grace)
      .option('--detach', 'only deliver: whoever drives the thread takes it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast cancel thr_0123456789abcdef --reason "wrong folder"

Its tools need not be there: none is started. Exit code 0: the run has ended, or its live owner has been told to end it.`
    )
    .action((thread: string, options: CancelOptions) =>
      choose((context) => cancelThread(context, parseThreadId(thread), options), toTerms(options))
    )
}

async function cancelThread(context: CommandContext, id: string, options: CancelOptions): Promise<number> {
  const info = await look(context, id)
  if (ENDED.has(info.row.status) && info.pending === 0) {
    context.output.document({ thread: id, status: info.row.status })
    context.output.notice(`There is nothing to cancel: the run of ${id} has ended (${info.row.status}).`)
    return EXIT.completed
  }
  const code = await send(id, context, { ...options, onlyEnds: true }, async (thread) => {
    const { reason, grace: graceMs } = options
    const { item } = await thread.cancel({ ...(reason === undefined ? {} : { reason }), ...(graceMs === undefined ? {} : { graceMs }) })
    return { item, state: 'queued' }
  })
  // That the run ended is what was asked for.
  return DONE.has(code) ? EXIT.completed : code
}

async function look(context: CommandContext, id: string): Promise<ThreadInfo> {
  await using workspace = await openExisting(context)
  return await workspace.runtime.thread(id).info()
}
