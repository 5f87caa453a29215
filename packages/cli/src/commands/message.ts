import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { addDriveOptions, toMode } from '../drive-options.ts'
import type { DeliveryOptions } from '../delivery.ts'
import { send } from '../delivery.ts'
import { readTextArgument } from '../text-input.ts'
import { parseThreadId } from '../thread-id.ts'

/** `holdfast message` */
export function messageCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('message')
      .description('Sends a message to a thread, and drives it here until it rests when nobody else does.')
      .argument('<thread>', 'its id')
      .argument('<text>', 'the message; - reads standard input')
      .option('--detach', 'only deliver: whoever drives the thread takes it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast message thr_0123456789abcdef "Look again at March"
  $ git diff | holdfast message thr_0123456789abcdef - --detach

A running thread reads it at its next turn; a resting one begins its next run with it. When another live worker
drives the thread the message is left to it and the exit code is 0; otherwise it is that of the run.`
    )
    .action((thread: string, text: string, options: DeliveryOptions) =>
      choose((context) => sendMessage(context, parseThreadId(thread), text, options), toMode(options))
    )
}

async function sendMessage(context: CommandContext, id: string, given: string, options: DeliveryOptions): Promise<number> {
  const text = await readTextArgument(given, context.io)
  return send(id, context, options, async (thread) => ({ ...(await thread.message(text)) }))
}
