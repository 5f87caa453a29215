import { Command } from 'commander'
import type { Cursor, ThreadHandle } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import type { TermOptions } from '../drive-options.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { againOf, driveToRest } from '../drive-to-rest.ts'
import type { DriveOptions } from '../open-thread.ts'
import { explainMissing, openThread } from '../open-thread.ts'
import { wholeNumber } from '../option-values.ts'
import { describeOwner } from '../owner.ts'
import { tryToTake } from '../ownership.ts'
import { parseThreadId } from '../thread-id.ts'
import { noticeIdle, watchToRest } from '../watch-to-rest.ts'
import { openExisting } from '../workspace.ts'

interface AttachOptions extends DriveOptions, TermOptions {
  readonly drive?: boolean
  readonly from?: number
}

/** `holdfast attach` */
export function attachCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('attach')
      .description('Shows the last run of a thread as `run` does, from its beginning and while it happens, until it rests.')
      .argument('<thread>', 'its id')
      .option('--drive', 'drive it here when nobody else does')
      .option('--from <sequence>', 'begin with this commit (default: the beginning of the run)', wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    { when: 'with --drive: ' }
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast attach thr_0123456789abcdef
  $ holdfast attach thr_0123456789abcdef --drive

Another process drives it, so answers come whole. Ctrl-C ends the watching and nothing else; with --drive, where this
process drives the thread, it lets the thread go. The exit code is that of the run.`
    )
    .action((thread: string, options: AttachOptions) =>
      choose((context) => attach(context, parseThreadId(thread), options), toTerms(options))
    )
}

async function attach(context: CommandContext, id: string, options: AttachOptions): Promise<number> {
  if (options.drive === true) return driveOrWatch(context, id, options)
  await using workspace = await openExisting(context)
  const thread = workspace.runtime.thread(id)
  const after = await findStart(thread, options.from)
  await noticeIdle(thread, context)
  return await watchToRest(thread, context, { after })
}

async function driveOrWatch(context: CommandContext, id: string, options: AttachOptions): Promise<number> {
  const { workspace, thread } = await openThread(id, context, options)
  await using _ = workspace
  const after = await findStart(thread, options.from)
  const driven = await context.interruption.hold(async () => {
    const owner = await tryToTake(thread, context).catch((error: unknown) => {
      throw explainMissing(error, againOf(id, context)('attach'))
    })
    if (owner === undefined) return driveToRest(thread, context, workspace, { after })
    context.output.progress(`${describeOwner(owner)}: only watching`)
    return undefined
  })
  return driven ?? (await watchToRest(thread, context, { after }))
}

/** Where a reader begins: at the last run, also when it is over. */
async function findStart(thread: ThreadHandle, from: number | undefined): Promise<Cursor> {
  const { row } = await thread.info()
  return { sequence: (from ?? row.startedIn ?? 1) - 1, index: Number.MAX_SAFE_INTEGER }
}
