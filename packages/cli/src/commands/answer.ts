import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import type { DecideOptions } from '../decide-waits.ts'
import { decideWaits } from '../decide-waits.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { readInputOption } from '../text-input.ts'
import { isThreadId } from '../thread-id.ts'
import { toAnswer } from '../wait-keys.ts'

/** `holdfast answer` */
export function answerCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('answer')
      .description('Answers a question of an agent, or gives a result that a tool waits for, and drives its thread here until it rests.')
      .argument(
        '[wait]',
        'its id, or that of a thread: its only question that is open, else the only result that is waited for; without one the only one of all threads'
      )
      .argument('[answer]', 'the answer: text, @file, or - for standard input; JSON where more than text is asked for')
      .option('--detach', 'only answer: whoever drives the thread goes on with it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast answer "Take the second one"
  $ holdfast answer thr_0123456789abcdef blue
  $ holdfast answer thr_0123456789abcdef:run_0123456789abcdef//1.0:question:1 blue
  $ holdfast answer - < answer.md
  $ holdfast answer thr_0123456789abcdef:run_0123456789abcdef//1.0:external:1 '{"pages":7}'

An answer must be one of the question's options and fit its schema, where it has them: otherwise it is refused, and the
question stays open. To decline it: holdfast deny. A result for a tool is JSON, or text where it is none. Exit codes and
--json are those of approve.`
    )
    .action((first: string | undefined, second: string | undefined, options: DecideOptions, command: Command) => {
      // One word alone is the answer to the only question.
      const [wait, given] = second === undefined && !isWait(first) ? [undefined, first] : [first, second]
      if (given === undefined) command.error('error: the answer is missing.')
      choose((context) => answer(context, wait, given ?? '', options), toTerms(options))
    })
}

async function answer(context: CommandContext, wait: string | undefined, given: string, options: DecideOptions): Promise<number> {
  const text = (await readInputOption(given, context.io)).trimEnd()
  return decideWaits(context, { wait, act: 'answer' }, options, (row) => ({ decision: 'answer', answer: toAnswer(row, text) }))
}

function isWait(text: string | undefined): boolean {
  return text !== undefined && (isThreadId(text) || /^thr_[^\s:]+:\S+$/.test(text))
}
