import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import type { DeliveryOptions } from '../delivery.ts'
import { send } from '../delivery.ts'
import { againOf } from '../drive-to-rest.ts'
import { Failure, isRuntimeError } from '../failure.ts'
import { readTextArgument } from '../text-input.ts'
import { parseThreadId } from '../thread-id.ts'

/** `holdfast retry` */
export function retryCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('retry')
      .description("Tries a run again that failed or was stopped, as its thread's next run.")
      .argument('<thread>', 'its id')
      .argument('[text]', 'what to say first; - reads standard input. Needed where the model has said its last word')
      .option('--detach', 'only deliver: whoever drives the thread takes it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast retry thr_0123456789abcdef
  $ holdfast retry thr_0123456789abcdef "Answer in at most ten lines"

Nothing that was done is done again: the model is shown the conversation as it stands and asked to go on. The run
gets its limits anew. Two retries of one run are one.`
    )
    .action((thread: string, text: string | undefined, options: DeliveryOptions) =>
      choose((context) => retry(context, parseThreadId(thread), text, options), toTerms(options))
    )
}

async function retry(context: CommandContext, id: string, given: string | undefined, options: DeliveryOptions): Promise<number> {
  const text = given === undefined ? undefined : await readTextArgument(given, context.io)
  return send(id, context, options, async (thread) => {
    try {
      return { ...(await thread.retry(text)) }
    } catch (error) {
      throw explainRefusal(error, againOf(id, context))
    }
  })
}

function explainRefusal(error: unknown, again: (command: string) => string): unknown {
  if (!isRuntimeError(error)) return error
  const remedies: { readonly [code: string]: string } = {
    invalid_input: `Say it with: ${again('retry')} "..."`,
    conflict: `See how it stands with: ${again('explain')}`
  }
  const remedy = remedies[error.code]
  return remedy === undefined ? error : new Failure(error.code, `${error.message}.`, { details: error.details, remedy, cause: error })
}
