import { Argument, Command } from 'commander'
import type { Decision } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import type { DecideOptions } from '../decide-waits.ts'
import { decideWaits } from '../decide-waits.ts'
import { readDecisionWord } from '../decision-word.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { Failure } from '../failure.ts'
import { readInputOption } from '../text-input.ts'
import { toJsonOrText } from '../wait-keys.ts'

interface OutcomeOptions extends DecideOptions {
  readonly result?: string
  readonly note?: string
}

type Outcome = Extract<Decision, { decision: 'outcome' }>['outcome']

const WORDS: { readonly [word: string]: Outcome } = { happened: 'happened', 'not-happened': 'not_happened', unknown: 'unknown' }

/** `holdfast outcome` */
export function outcomeCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('outcome')
      .description('Says what became of a call whose process has died, and drives its thread here until it rests when nobody else does.')
      .argument('[wait]', 'its id, or that of a thread: its only call that is asked about; without one the only one of all threads')
      .addArgument(new Argument('[word]', `what became of it: ${Object.keys(WORDS).join(', ')}`))
      .option('--result <json>', 'what the call gave, for the agent to read: JSON, text, @file, or - for standard input')
      .option('--note <text>', 'how you know; kept with the decision')
      .option('--detach', 'only decide: whoever drives the thread goes on with it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast outcome happened --result '{"charge":"ch_17"}' --note "seen in the bank's list"
  $ holdfast outcome thr_0123456789abcdef:run_0123456789abcdef//1.0:outcome:1 not-happened
  $ holdfast outcome unknown

Look first: \`holdfast waits\` shows the arguments, when the call was started, and its key. happened: the agent reads the
result. not-happened: the call runs again, under the same key. unknown: the agent is told that nobody knows. Exit codes
and --json are those of approve.`
    )
    .action((first: string | undefined, second: string | undefined, options: OutcomeOptions) => {
      // One word alone is about the only call that is asked about.
      const [wait, word] = second === undefined ? [undefined, first] : [first, second]
      choose((context) => sayOutcome(context, wait, word, options), toTerms(options))
    })
}

async function sayOutcome(
  context: CommandContext,
  wait: string | undefined,
  word: string | undefined,
  options: OutcomeOptions
): Promise<number> {
  const { result: given, note } = options
  const outcome = await readDecisionWord(word, {
    words: WORDS,
    about: 'What became of the call',
    example: 'holdfast outcome WAIT happened'
  })
  if (given !== undefined && outcome !== 'happened') {
    throw new Failure('invalid_input', `--result is what a call gave that happened, and this one is said to be ${word}.`)
  }
  const result = given === undefined ? undefined : toJsonOrText((await readInputOption(given, context.io)).trimEnd())
  const decision: Decision = {
    decision: 'outcome',
    outcome,
    ...(result === undefined ? {} : { result }),
    ...(note === undefined ? {} : { note })
  }
  return decideWaits(context, { wait, act: 'outcome' }, options, () => decision)
}
