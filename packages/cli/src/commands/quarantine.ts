import { Argument, Command } from 'commander'
import type { Decision } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import type { DecideOptions } from '../decide-waits.ts'
import { decideWaits } from '../decide-waits.ts'
import { readDecisionWord } from '../decision-word.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'

interface QuarantineOptions extends DecideOptions {
  readonly note?: string
}

const WORDS: { readonly [word: string]: (note: string | undefined) => Decision } = {
  retry: (note) => ({ decision: 'approve', ...(note === undefined ? {} : { note }) }),
  'give-up': (reason) => ({ decision: 'deny', ...(reason === undefined ? {} : { reason }) })
}

/** `holdfast quarantine` */
export function quarantineCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('quarantine')
      .description('Says whether a run that was set aside, because its processes died again and again, is tried again or given up.')
      .argument('[wait]', 'its id, or that of its thread; without one the only run of all threads that was set aside')
      .addArgument(new Argument('[word]', `what becomes of it: ${Object.keys(WORDS).join(', ')}`))
      .option('--note <text>', 'why; kept with the decision, and the error of a run that is given up says it')
      .option('--detach', 'only decide: whoever drives the thread goes on with it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast waits --kind quarantine
  $ holdfast quarantine retry
  $ holdfast quarantine thr_0123456789abcdef give-up --note "the tool crashes on empty files"

Look first: \`holdfast explain THREAD\` says what was under way when the last process died. retry: the run is tried again,
as often as before. give-up: the run ends as failed, and its thread takes later messages. \`approve\` and \`deny\` say
the same. Exit codes and --json are those of approve.`
    )
    .action((first: string | undefined, second: string | undefined, options: QuarantineOptions) => {
      // One word alone is about the only run that was set aside.
      const [wait, word] = second === undefined ? [undefined, first] : [first, second]
      choose((context) => decide(context, wait, word, options), toTerms(options))
    })
}

async function decide(
  context: CommandContext,
  wait: string | undefined,
  word: string | undefined,
  options: QuarantineOptions
): Promise<number> {
  const toDecision = await readDecisionWord(word, {
    words: WORDS,
    about: 'What becomes of the run',
    example: 'holdfast quarantine WAIT retry'
  })
  return decideWaits(context, { wait, act: 'quarantine' }, options, () => toDecision(options.note))
}
