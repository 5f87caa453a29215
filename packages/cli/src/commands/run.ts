import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { Budget, StartOptions } from '@holdfast/runtime'
import type { Launch, LaunchOptions } from '../agent-launch.ts'
import { openLaunch, prepareLaunch } from '../agent-launch.ts'
import type { ApprovalOption } from '../approve-option.ts'
import { approveOption, assertAskable, openApprover } from '../approve-option.ts'
import { readAttachment } from '../attachment.ts'
import { budgetOption } from '../budget-option.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { againOf, driveToRest } from '../drive-to-rest.ts'
import { EXIT } from '../exit-code.ts'
import { addLaunchOptions } from '../launch-options.ts'
import type { TermOptions } from '../drive-options.ts'
import { toTerms } from '../drive-options.ts'
import { assertKept, startNextRun } from '../next-run.ts'
import { parseThreadId } from '../thread-id.ts'
import { collect, name } from '../option-values.ts'
import { takeThread } from '../ownership.ts'
import { tellRedacted } from '../redaction-notice.ts'
import { rehearse } from '../rehearsal.ts'
import { readInputOption, readTextArgument } from '../text-input.ts'
import { timeoutOption } from '../time-limit.ts'

interface RunOptions extends LaunchOptions, ApprovalOption, TermOptions {
  readonly input?: string
  readonly attach: readonly string[]
  readonly budget?: Budget
  readonly idempotencyKey?: string
  readonly thread?: string
  readonly detach?: boolean
}

/** `holdfast run` */
export function runCommandOf(choose: Choose): Command {
  return addLaunchOptions(
    new Command('run')
      .description('Starts an agent from its manifest and drives it until it rests.')
      .argument('<file>', 'the manifest of the agent: YAML or JSON')
      .argument('[prompt]', "the first message, in place of the manifest's `prompt`; - reads standard input")
      .option('--input <text>', 'the same as an option: text, @file for what stands in a file, - for standard input')
      .option('--attach <file>', 'adds an image, a PDF or a text file to the first message (repeatable)', collect, [])
  )
    .option('--thread <thread>', 'as the next run of this thread, with the definition that it was started with', name)
    .option(
      '--budget <limits>',
      'what the thread may spend: tokens=200000,cost=2.50,time=30m,tool-calls=50,hard (repeatable)',
      budgetOption
    )
    .option('--idempotency-key <key>', 'the same key again finds the thread that it made', name)
    .addOption(
      new Option('--durability <level>', 'what a commit survives: a power cut (default), or only the death of the process').choices([
        'power',
        'process'
      ])
    )
    .addOption(timeoutOption())
    .addOption(new Option('--detach', 'only start: whoever resumes the thread drives it').conflicts('timeout'))
    .addOption(approveOption())
    .option('--jsonl', 'one event a line as JSON, while it happens')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast run agent.yaml "Refund order 4711" --tools tools.ts
  $ holdfast run agent.yaml --var year=2026 --var rules=@rules.json
  $ holdfast run describe.yaml --attach photo.png --timeout 5m
  $ holdfast run agent.yaml "Now March" --thread thr_0123456789abcdef
  $ git diff | holdfast run reviewer.yaml - --model anthropic/claude-sonnet-4-5 --json
  $ holdfast resume "$(holdfast run agent.yaml --input @task.md --detach)"

The result goes to standard output, everything else to standard error; on a terminal answers are shown while they
come. Nothing is started before manifest, variables, tools and model have been checked. When the time of --timeout
is up the exit code is 124, and the thread goes on with \`holdfast resume\`.`
    )
    .action((file: string, prompt: string | undefined, options: RunOptions, command: Command) => {
      if (prompt !== undefined && options.input !== undefined)
        command.error('error: the prompt is given twice: as an argument and as --input.')
      choose((context) => runAgent(context, file, prompt, options), toTerms(options))
    })
}

async function runAgent(context: CommandContext, file: string, prompt: string | undefined, options: RunOptions): Promise<number> {
  assertAskable(options, context)
  if (options.thread !== undefined) return runInThread(context, file, prompt, { ...options, thread: options.thread })
  const launch = await prepareLaunch(context, file, options)
  const start = await readStart(context, launch, prompt, options)
  return options.detach === true ? startOnly(context, launch, start) : startAndDrive(context, launch, start, options)
}

function runInThread(
  context: CommandContext,
  file: string,
  prompt: string | undefined,
  options: RunOptions & { readonly thread: string }
): Promise<number> {
  assertKept(options)
  return readPrompt(context, prompt, options).then((text) =>
    startNextRun(context, { ...options, file, text, thread: parseThreadId(options.thread) }, options)
  )
}

async function readPrompt({ io }: CommandContext, prompt: string | undefined, { input }: RunOptions): Promise<string | undefined> {
  if (prompt !== undefined) return readTextArgument(prompt, io)
  return input === undefined ? undefined : readInputOption(input, io)
}

/** What the run is started with, rehearsed. */
async function readStart(
  context: CommandContext,
  { agent, variables, drives }: Launch,
  prompt: string | undefined,
  options: RunOptions
): Promise<StartOptions> {
  const { io, output, secrets } = context
  const { attach, idempotencyKey, label, budget } = options
  const text = await readPrompt(context, prompt, options)
  const start: StartOptions = {
    variables,
    ...(text === undefined ? {} : { input: text }),
    ...(label === undefined ? {} : { labels: label }),
    ...(budget === undefined ? {} : { budget }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  }
  const known = { secrets: await secrets.registry() }
  const { first, redacted } = await rehearse(agent.definition, start, drives, known)
  tellRedacted(output, redacted)
  if (attach.length === 0) return start
  const files = await Promise.all(attach.map((path) => readAttachment(resolve(io.cwd, path))))
  const whole = { ...start, input: [...first, ...files.map(({ part }) => part)] }
  tellRedacted(output, (await rehearse(agent.definition, whole, drives, known)).redacted)
  return whole
}

async function startAndDrive(context: CommandContext, launch: Launch, start: StartOptions, options: ApprovalOption): Promise<number> {
  await using workspace = await openLaunch(context, launch)
  return await context.interruption.hold(async () => {
    const run = await workspace.runtime.start(launch.agent.definition, start)
    context.output.progress(`thread ${run.thread}${run.created ? '' : ' (made before under this idempotency key)'}`)
    if (!run.created) await takeThread(run, context)
    return driveToRest(run, context, workspace, { approver: await openApprover(context, workspace, options) })
  })
}

async function startOnly(context: CommandContext, launch: Launch, start: StartOptions): Promise<number> {
  const { output } = context
  await using workspace = await openLaunch(context, launch, { idle: true })
  const { thread, run, created } = await workspace.runtime.start(launch.agent.definition, start)
  const resume = againOf(thread, context)('resume')
  output.document({ thread, run, created, resume })
  output.line({ thread, run, created, resume })
  output.result(thread)
  output.progress(`Started and not driven${created ? '' : ' (made before under this idempotency key)'}. Drive it with: ${resume}`)
  return EXIT.completed
}
