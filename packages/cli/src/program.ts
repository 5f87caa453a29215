import type { Option } from 'commander'
import { Command, CommanderError, Help } from 'commander'
import type { Choose, CommandContext, SharedOptions, Task } from './command-context.ts'
import type { CommandIo } from './command-io.ts'
import { CommandSecrets } from './command-secrets.ts'
import { answerCommand } from './commands/answer.ts'
import { approveCommand } from './commands/approve.ts'
import { artifactsCommand } from './commands/artifacts.ts'
import { attachCommand } from './commands/attach.ts'
import { budgetCommand } from './commands/budget.ts'
import { cancelCommand } from './commands/cancel.ts'
import { chatCommand } from './commands/chat.ts'
import { completionCommand } from './commands/completion.ts'
import { configCommand } from './commands/config.ts'
import { denyCommand } from './commands/deny.ts'
import { doctorCommand } from './commands/doctor.ts'
import { diffCommand } from './commands/diff.ts'
import { forkCommand } from './commands/fork.ts'
import { initCommand } from './commands/init.ts'
import { explainCommand } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { logCommand } from './commands/log.ts'
import { interruptCommand, messageCommand } from './commands/message.ts'
import { modelsCommand } from './commands/models.ts'
import { outcomeCommand } from './commands/outcome.ts'
import { quarantineCommand } from './commands/quarantine.ts'
import { recordsCommand } from './commands/records.ts'
import { resumeCommand } from './commands/resume.ts'
import { retryCommand } from './commands/retry.ts'
import { removeCommand } from './commands/rm.ts'
import { runCommandOf } from './commands/run.ts'
import { showCommand } from './commands/show.ts'
import { storeCommand } from './commands/store.ts'
import { threadsCommand } from './commands/threads.ts'
import { toolsCommand } from './commands/tools.ts'
import { usageCommand } from './commands/usage.ts'
import { versionCommand } from './commands/version.ts'
import { waitCommand } from './commands/wait.ts'
import { waitsCommand } from './commands/waits.ts'
import { EXIT, exitCodeOfError } from './exit-code.ts'
import { Failure, toReport } from './failure.ts'
import { Interruption } from './interruption.ts'
import { name } from './option-values.ts'
import type { OutputMode } from './output.ts'
import { Output } from './output.ts'
import { ownVersion } from './package-version.ts'
import { tellStrayEnd } from './stray-end.ts'

const AFTER_HELP = `
Examples:
  $ holdfast run agent.yaml "Find the invoice that does not add up" --tools tools.ts
  $ echo "Refund order 4711" | holdfast run agent.yaml - --json
  $ holdfast waits
  $ holdfast approve
  $ holdfast resume thr_0123456789abcdef

Exit codes: 0 completed, 1 failed, 2 wrong usage or input, 3 waiting, 4 cancelled, 5 stopped by a limit,
6 store not reachable, or thread owned or taken by another worker, 74 standard output cannot be written,
124 let go after --timeout, 130 interrupted (let go, not cancelled; 143 by SIGTERM, 129 by SIGHUP, 141 when the
reader of the output went away while a thread was driven).

error[CODE] names a page of the documentation, docs/reference/errors/CODE.md: what it means and what to do.`

/** The commands, in the order in which help shows them. */
const COMMANDS: readonly ((choose: Choose) => Command)[] = [
  initCommand,
  runCommandOf,
  chatCommand,
  resumeCommand,
  waitsCommand,
  approveCommand,
  denyCommand,
  answerCommand,
  outcomeCommand,
  quarantineCommand,
  budgetCommand,
  threadsCommand,
  showCommand,
  logCommand,
  messageCommand,
  interruptCommand,
  cancelCommand,
  retryCommand,
  forkCommand,
  diffCommand,
  attachCommand,
  waitCommand,
  explainCommand,
  usageCommand,
  recordsCommand,
  removeCommand,
  exportCommand,
  importCommand,
  artifactsCommand,
  storeCommand,
  configCommand,
  modelsCommand,
  toolsCommand,
  doctorCommand,
  completionCommand,
  versionCommand
]

type Chosen = { readonly task: Task; readonly mode: OutputMode | undefined; readonly timeoutMs: number | undefined }

/**
 * Runs one command line. Never throws: whatever happens is told on the streams of \`io\` and in the exit code.
 *
 * @param argv - The arguments after the program's name.
 */
export async function runCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  let chosen: Chosen | undefined
  const program = buildProgram(io, (task, terms) => {
    chosen = { task, mode: terms?.mode, timeoutMs: terms?.timeoutMs }
  })
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    return refuse(error, { argv, io, program })
  }
  if (!chosen) return EXIT.completed
  return perform(chosen, program.opts<SharedOptions>(), io)
}

async function perform(chosen: Chosen, options: SharedOptions, io: CommandIo): Promise<number> {
  const interruption = new Interruption(io.signal)
  if (chosen.timeoutMs !== undefined) interruption.limit(chosen.timeoutMs)
  const mode = options.json === true ? 'json' : (chosen.mode ?? 'text')
  const secrets = io.secrets ?? new CommandSecrets()
  const output = new Output(io, { mode, quiet: options.quiet === true, color: options.color }, secrets)
  io.setStray?.((text) => output.stray(text))
  const context: CommandContext = { io, output, secrets, options, interruption }
  io.setStrayEnd?.((end) => tellStrayEnd(end, context))
  try {
    if (mode === 'json' && chosen.mode === 'jsonl') {
      throw new Failure('invalid_input', '--json gives one document and --jsonl one value a line: use one of them.')
    }
    return await Promise.race([chosen.task(context), interruption.whenFree().then(() => tellInterrupted(context))])
  } catch (error) {
    if (interruption.isCause(error)) return tellInterrupted(context)
    const report = toReport(error)
    output.fail(report)
    if (report.code === 'internal' && io.env['HOLDFAST_DEBUG'] && error instanceof Error) output.notice(String(error.stack))
    return exitCodeOfError(report.code)
  }
}

/** A signal is known to who sent it; that the time was over before anything was begun is not. */
function tellInterrupted({ output, interruption }: CommandContext): number {
  if (!interruption.isLate) return interruption.exitCode
  const told = { interrupted: String(interruption.signal.reason), started: false }
  output.document(told)
  output.line(told)
  output.notice('The time of --timeout was over before anything was begun: nothing was started and nothing was changed.')
  return interruption.exitCode
}

function buildProgram(io: CommandIo, choose: Choose): Command {
  const program = new Command('holdfast')
    .description('Runs durable agents: a killed process loses at most one unfinished model answer and repeats nothing that was done.')
    .version(ownVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .option('--store <file>', 'where threads are kept (default: .holdfast/holdfast.db of the project)', name)
    .option('--json', 'one JSON document on standard output')
    .option('--quiet', 'no progress on standard error')
    .option('--no-color', 'no colours (also: NO_COLOR=1)')
    .addHelpText('after', AFTER_HELP)
  for (const build of COMMANDS) program.addCommand(build(choose))
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        writeErr: (text) => io.stderr.write(text),
        // Told by `refuse`, in the form of every other error.
        outputError: () => undefined,
        getOutHelpWidth: () => 100,
        getErrHelpWidth: () => 100,
        getOutHasColors: () => false,
        getErrHasColors: () => false
      })
  }
  return program
}

/** A command and all that are below it. */
function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

interface Refused {
  readonly argv: readonly string[]
  readonly io: CommandIo
  readonly program: Command
}

/** The parser found something wrong, or showed help or the version. */
function refuse(error: unknown, { argv, io, program }: Refused): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.completed
  // Help that was shown because no command was named.
  if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.invalid
  const mode = argv.includes('--json') ? 'json' : 'text'
  const output = new Output(io, { mode, quiet: false, color: !argv.includes('--no-color') })
  const report = toReport(error)
  if (!(error instanceof CommanderError)) {
    output.fail(report)
    return exitCodeOfError(report.code)
  }
  const message = error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1')
  output.fail({ code: 'invalid_input', message, details: {}, remedy: `See \`holdfast ${helpTopic(program, argv)}--help\`.` })
  return EXIT.invalid
}

/** The words that lead to the command that was meant. */
function helpTopic(command: Command, argv: readonly string[]): string {
  const named = argv.map((argument) => command.commands.find((each) => each.name() === argument)).find((found) => found !== undefined)
  return named === undefined ? '' : `${named.name()} ${helpTopic(named, argv)}`
}

/** Nothing given is no default that anybody could type. */
function describeOption(option: Option): string {
  const isEmpty = Array.isArray(option.defaultValue) && option.defaultValue.length === 0
  return isEmpty ? option.description : new Help().optionDescription(option)
}
