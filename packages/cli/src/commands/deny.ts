import { Command } from 'commander'
import type { Choose } from '../command-context.ts'
import type { DecideOptions } from '../decide-waits.ts'
import { decideWaits } from '../decide-waits.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'

interface DenyOptions extends DecideOptions {
  readonly reason?: string
}

/** `holdfast deny` */
export function denyCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('deny')
      .description('Refuses a held call or declines a question, and drives its thread here until it rests when nobody else does.')
      .argument(
        '[wait]',
        'its id, or that of a thread: its only call that is held, else its only question; without one the only one of all threads'
      )
      .option('--reason <text>', 'why; the agent reads it word for word')
      .option('--detach', 'only decide: whoever drives the thread goes on with it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast deny --reason "Not before the audit"
  $ holdfast deny thr_0123456789abcdef:run_0123456789abcdef//1.0:approval:1

The call does not run, or the question stays without an answer: the agent reads that a person said so, and goes on.
Exit codes and --json are those of approve.`
    )
    .action((wait: string | undefined, options: DenyOptions) =>
      choose(
        (context) =>
          decideWaits(context, { wait, act: 'deny' }, options, () => ({
            decision: 'deny',
            ...(options.reason === undefined ? {} : { reason: options.reason })
          })),
        toTerms(options)
      )
    )
}
