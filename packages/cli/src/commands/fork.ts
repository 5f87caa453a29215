import { resolve } from 'node:path'
import type { ForkChange, ForkHandle, ForkPlace } from '@holdfast/runtime'
import { Command } from 'commander'
import type { AgentFile } from '../agent-file.ts'
import { loadAgentFile, settingsOf, toModelReference } from '../agent-file.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import type { TermOptions } from '../drive-options.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { againOf, driveToRest, headOf } from '../drive-to-rest.ts'
import { EXIT } from '../exit-code.ts'
import { forkPlace, readResults } from '../fork-options.ts'
import type { DriveOptions, OpenedThread } from '../open-thread.ts'
import { explainMissing, openThread } from '../open-thread.ts'
import { collect, name } from '../option-values.ts'
import { tellRedacted } from '../redaction-notice.ts'
import { readInputOption } from '../text-input.ts'
import { parseThreadId } from '../thread-id.ts'
import { toVisibleLine } from '../visible-text.ts'

interface ForkCommandOptions extends DriveOptions, TermOptions {
  readonly at?: ForkPlace
  readonly message?: string
  readonly model?: string
  readonly agent?: string
  readonly callResult: readonly string[]
  readonly callError: readonly string[]
  readonly idempotencyKey?: string
  readonly detach?: boolean
}

/** `holdfast fork` */
export function forkCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('fork')
      .description('Makes a thread with the past of another one and goes on otherwise. Nothing that was done is done again.')
      .argument('<thread>', 'the thread to fork')
      .option(
        '--at <place>',
        'the last commit that is copied: its sequence, or turn:3 to ask that turn anew (default: the last)',
        forkPlace
      )
      .option('--message <text>', 'says something at the next turn, or begins the next run: text, @file, - for standard input')
      .option('--model <name>', 'another model from there on: provider/model, or a profile of the configuration', name)
      .option('--agent <file>', 'another agent from there on: the manifest', name)
      .option('--call-result <call=value>', 'what the model is shown of a call: text, JSON, @file (repeatable)', collect, [])
      .option('--call-error <call=text>', 'the same as an error (repeatable)', collect, [])
      .option('--idempotency-key <key>', 'the same key again finds the fork that it made', name)
      .option('--detach', 'only make it: whoever resumes it drives it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast fork thr_0123456789abcdef --at turn:3 --model anthropic/claude-sonnet-4-5
  $ holdfast fork thr_0123456789abcdef --message "And in euros?"
  $ holdfast fork thr_0123456789abcdef --call-result run_0123//2.0=@other.json
  $ holdfast diff thr_0123456789abcdef "$(holdfast fork thr_0123456789abcdef --at 12 --detach)"

A call that was begun ends as it ended there, or as unknown; one that waits for a decision waits again. With
--call-result and no --at the fork begins where that result had just come. With --detach its id is the result.`
    )
    .action((thread: string, options: ForkCommandOptions) =>
      choose((context) => fork(context, parseThreadId(thread), options), toTerms(options))
    )
}

async function fork(context: CommandContext, id: string, options: ForkCommandOptions): Promise<number> {
  const { cwd } = context.io
  const { model, detach = false } = options
  const agent = options.agent === undefined ? undefined : await loadAgentFile(resolve(cwd, options.agent), { cwd, model })
  const { workspace, thread, base } = await openThread(id, context, { ...options, fork: { agent, isIdle: detach } })
  await using _ = workspace
  return await context.interruption.hold(async () => {
    const made = await makeFork(context, { workspace, thread, base, agent }, options)
    tellFork(context, made)
    if (detach) return tellDetached(context, made)
    try {
      const after = made.created ? { sequence: made.at + 1, index: Number.MAX_SAFE_INTEGER } : await headOf(made)
      return await driveToRest(made, context, workspace, { after })
    } catch (error) {
      throw explainMissing(error, againOf(made.id, context)('resume'))
    }
  })
}

interface Source extends OpenedThread {
  readonly agent: AgentFile | undefined
}

async function makeFork(context: CommandContext, source: Source, options: ForkCommandOptions): Promise<ForkHandle> {
  const { io } = context
  const { at, message, idempotencyKey } = options
  const callResult = await readResults({ results: options.callResult, errors: options.callError }, io)
  const change: ForkChange = {
    ...(message === undefined ? {} : { message: await readInputOption(message, io) }),
    ...(await toDefinitionChange(context, source, options)),
    ...(callResult.length === 0 ? {} : { callResult })
  }
  return source.workspace.runtime.fork(source.thread.id, {
    change,
    ...(at === undefined ? {} : { at }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  })
}

/** A model that is named alone keeps the settings that the thread's model has. */
async function toDefinitionChange(
  { io: { cwd } }: CommandContext,
  { workspace, thread, base, agent }: Source,
  { model }: ForkCommandOptions
): Promise<Pick<ForkChange, 'model' | 'publication'>> {
  if (agent !== undefined) return { publication: (await workspace.runtime.publish(agent.definition)).digest }
  if (model === undefined) return {}
  const { definition } = await thread.publication()
  return { model: { ...settingsOf(definition.model), ...toModelReference(model, { cwd, base }) } }
}

function tellFork({ output }: CommandContext, { thread, from, at, created, calls, ran, redacted }: ForkHandle): void {
  tellRedacted(output, redacted)
  output.progress(`thread ${thread}, forked from ${from} at commit ${at}${created ? '' : ' (made before under this idempotency key)'}`)
  for (const { call, outcome } of calls) output.progress(`${toVisibleLine(call)} is not run again: ${outcome}`)
  for (const call of ran) {
    output.notice(`${toVisibleLine(call)} waits for a decision again, and ${from} has run it: who approves it runs it a second time.`)
  }
}

function tellDetached({ output }: CommandContext, { thread, from, at, created, calls, ran }: ForkHandle): number {
  output.document({ thread, from, at, created, calls, ran })
  output.result(thread)
  return EXIT.completed
}
