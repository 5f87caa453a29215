import { Command, Option } from 'commander'
import type { Decision, JsonObject, RememberedScope } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import type { DecideOptions } from '../decide-waits.ts'
import { decideWaits } from '../decide-waits.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { Failure } from '../failure.ts'
import { name } from '../option-values.ts'
import { readInputOption } from '../text-input.ts'
import { parseThreadId } from '../thread-id.ts'

interface ApproveOptions extends DecideOptions {
  readonly edit?: string
  readonly note?: string
  readonly remember?: RememberedScope
  readonly all?: boolean
  readonly tool?: string
  readonly thread?: string
}

/** `holdfast approve` */
export function approveCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('approve')
      .description('Approves a held call, and drives its thread here until it rests when nobody else does.')
      .argument('[wait]', 'its id, or that of a thread: its only call that is held; without one the only one of all threads')
      .option('--edit <json>', 'with these arguments in place of those of the agent: JSON, or @file', name)
      .option('--note <text>', 'why; kept with the decision')
      .addOption(
        new Option(
          '--remember <scope>',
          'approve later calls of the tool, too, as long as nobody else asks: in this run, in this thread, or with the same arguments'
        ).choices(['run', 'thread', 'arguments'])
      )
      .option('--all', 'all calls that are held')
      .option('--tool <name>', 'only calls of this tool', name)
      .option('--thread <thread>', 'only calls of this thread', name)
      .option('--detach', 'only decide: whoever drives the thread goes on with it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast approve
  $ holdfast approve thr_0123456789abcdef
  $ holdfast approve thr_0123456789abcdef:run_0123456789abcdef//1.0:approval:1 --note "as agreed"
  $ holdfast approve --edit '{"order":"4711","cents":500}'
  $ holdfast approve --all --tool lookup --remember run

What runs is exactly what is shown by \`holdfast waits\`, or what --edit says: its arguments are checked against the
tool's schema, and the call is judged again by today's rules. The same decision again changes nothing. Exit codes: that
of the run when it is driven here; else 0 decided, 3 more people must approve, 4 too late, 2 not possible.
With --json: { "decisions": [{ "wait", "state" }] }, and the result of the run beside it when it was driven here.
Calls of several threads are only decided.`
    )
    .action((wait: string | undefined, options: ApproveOptions) => choose((context) => approve(context, wait, options), toTerms(options)))
}

async function approve(context: CommandContext, wait: string | undefined, options: ApproveOptions): Promise<number> {
  const { all, tool, thread, edit, note, remember } = options
  if (wait !== undefined && (all === true || tool !== undefined || thread !== undefined)) {
    throw new Failure('invalid_input', 'A wait is named, and --all, --tool or --thread name others.', { remedy: 'Use one of them.' })
  }
  if (all === true && edit !== undefined) {
    throw new Failure('invalid_input', '--edit gives the arguments of one call, and --all approves several.')
  }
  const edited = edit === undefined ? undefined : await readArguments(edit, context)
  const decision: Decision = {
    decision: 'approve',
    ...(note === undefined ? {} : { note }),
    ...(edited === undefined ? {} : { arguments: edited }),
    ...(remember === undefined ? {} : { remember })
  }
  const choice = {
    wait,
    act: 'approve' as const,
    all: all === true,
    ...(tool === undefined ? {} : { tool }),
    ...(thread === undefined ? {} : { thread: parseThreadId(thread) })
  }
  return decideWaits(context, choice, options, () => decision)
}

async function readArguments(text: string, { io }: CommandContext): Promise<JsonObject> {
  const json = await readInputOption(text, io)
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Told below, with what is no object.
  }
  throw new Failure('invalid_input', '--edit is no JSON object.', {
    remedy: 'Give all arguments, as in --edit \'{"order":"4711"}\', or @file.'
  })
}
