import { Command } from 'commander'
import type { ApprovalOption } from '../approve-option.ts'
import { approveOption, assertAskable, openApprover } from '../approve-option.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import type { TermOptions } from '../drive-options.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { againOf, driveToRest, headOf } from '../drive-to-rest.ts'
import type { DriveOptions } from '../open-thread.ts'
import { explainMissing, openThread } from '../open-thread.ts'
import { refuseBusy, takeThread } from '../ownership.ts'
import { parseThreadId } from '../thread-id.ts'

interface ResumeOptions extends DriveOptions, ApprovalOption, TermOptions {
  readonly takeover?: boolean
}

/** `holdfast resume` */
export function resumeCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('resume')
      .description('Drives a thread in this process until it rests: after a crash, an interruption or a wait.')
      .argument('<thread>', 'its id')
      .option('--takeover', 'dispossess an owner that lives: its unfinished work is lost, and may have had effects')
      .addOption(approveOption())
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast resume thr_0123456789abcdef
  $ holdfast resume thr_0123456789abcdef --tools tools.ts

An owner that was a process of this machine and is gone is replaced at once. One that lives is named, and the exit
code is 6; one on another machine gets the rest of its lease to show that it lives.`
    )
    .action((thread: string, options: ResumeOptions) =>
      choose((context) => resumeThread(context, parseThreadId(thread), options), toTerms(options))
    )
}

async function resumeThread(context: CommandContext, id: string, options: ResumeOptions): Promise<number> {
  assertAskable(options, context)
  const { workspace, thread } = await openThread(id, context, { ...options, ...(options.takeover === true ? {} : { look: refuseBusy }) })
  await using _ = workspace
  return await context.interruption.hold(async () => {
    const after = await headOf(thread)
    context.output.progress(`thread ${id}`)
    try {
      await takeThread(thread, context, { takeover: options.takeover === true })
    } catch (error) {
      throw explainMissing(error, againOf(id, context)('resume'))
    }
    return driveToRest(thread, context, workspace, { after, approver: await openApprover(context, workspace, options) })
  })
}
