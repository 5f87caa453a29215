import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import type { DeliveryOptions } from '../delivery.ts'
import { send } from '../delivery.ts'
import { readTextArgument } from '../text-input.ts'
import { parseThreadId } from '../thread-id.ts'

interface MessageOptions extends DeliveryOptions {
  readonly interrupt?: boolean
}

/** `holdfast message` */
export function messageCommand(choose: Choose): Command {
  return addMessageOptions(
    new Command('message').description('Sends a message to a thread, and drives it here until it rests when nobody else does.')
  )
    .option('--interrupt', 'abort the model call that is under way, as `holdfast interrupt` does')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast message thr_0123456789abcdef "Look again at March"
  $ git diff | holdfast message thr_0123456789abcdef - --detach

A running thread reads it at its next turn; a resting one begins its next run with it. When another live worker
drives the thread the message is left to it and the exit code is 0 (with --receipt: 4 when it comes back unread);
otherwise it is that of the run.`
    )
    .action((thread: string, text: string, options: MessageOptions) =>
      choose((context) => sendMessage(context, parseThreadId(thread), text, options), toTerms(options))
    )
}

/** `holdfast interrupt` */
export function interruptCommand(choose: Choose): Command {
  return addMessageOptions(
    new Command('interrupt').description(
      'Sends a message that does not wait: it aborts the model call that is under way and is read at once.'
    )
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast interrupt thr_0123456789abcdef "Stop: use the staging account"

Nothing of the answer that was coming is kept. Tools that run go on, and the message is read behind their results. A
thread that rests begins its next run with it. Exit codes are those of message.`
    )
    .action((thread: string, text: string, options: MessageOptions) =>
      choose((context) => sendMessage(context, parseThreadId(thread), text, { ...options, interrupt: true }), toTerms(options))
    )
}

function addMessageOptions(command: Command): Command {
  return addDriveOptions(
    command
      .argument('<thread>', 'its id')
      .argument('<text>', 'the message; - reads standard input')
      .option('--detach', 'only deliver: whoever drives the thread takes it')
      .option('--receipt', 'where it is left to others: wait until it is read, or comes back unread')
  )
}

async function sendMessage(context: CommandContext, id: string, given: string, options: MessageOptions): Promise<number> {
  const text = await readTextArgument(given, context.io)
  return send(id, context, options, async (thread) => ({ ...(await thread.message(text, { interrupt: options.interrupt === true })) }))
}
