import type { CommandIo } from '../../packages/cli/src/command-io.ts'
import { EXIT, exitCodeOfSignal, OUTPUT_LOST, TIME_UP } from '../../packages/cli/src/exit-code.ts'
import { runCommand } from '../../packages/cli/src/program.ts'
import { toPage, toTable } from './markdown.ts'

const INTRODUCTION = `This is what \`holdfast --help\` and \`holdfast COMMAND --help\` print, without the options that every command has; those stand first.`

const MEANINGS: { readonly [name: string]: string } = {
  completed: 'done; of a run: completed',
  failed: 'the run failed, or something that no other number says',
  invalid: 'wrong usage, or input that cannot be used: nothing was started',
  waiting: 'the run waits for somebody or something, or is not driven yet',
  cancelled: 'the run was cancelled',
  stopped: 'a limit ended the run',
  unreachable: 'the store cannot be used, or another worker owns the thread or has taken it'
}

const SIGNALS: { readonly [signal: string]: string } = {
  SIGHUP: 'the terminal went away; a thread that was driven is let go, not cancelled',
  SIGINT: 'Ctrl-C; let go, not cancelled',
  SIGPIPE: 'the reader of the output went away while a thread was driven',
  SIGTERM: 'ended from outside; let go, not cancelled'
}

/** Every command with its options and examples, and the exit codes. */
export async function commandPage(): Promise<string> {
  const sections = await helpOf([])
  const codes = [
    ...Object.entries(EXIT).map(([key, code]) => [String(code), meaningOf(key)]),
    [
      String(exitCodeOfSignal(OUTPUT_LOST)),
      'standard output cannot be written, as on a full disk: what was done is kept, a thread that was driven is let go'
    ],
    [String(exitCodeOfSignal(TIME_UP)), 'the time of `--timeout` is over; the run goes on when it is resumed'],
    ...Object.entries(SIGNALS).map(([signal, meaning]) => [String(exitCodeOfSignal(signal)), `${signal}: ${meaning}`])
  ]
  return toPage('The command', [INTRODUCTION, '## Exit codes', toTable(['code', 'meaning'], codes), ...sections])
}

function meaningOf(key: string): string {
  const meaning = MEANINGS[key]
  if (meaning === undefined) throw new Error(`the exit code ${key} has no meaning here`)
  return meaning
}

/** The help of a command, then of those below it, in the order in which help shows them. */
async function helpOf(words: readonly string[]): Promise<readonly string[]> {
  const help = await readHelp(words)
  const title = `## ${['holdfast', ...words].join(' ')}`
  const shown = words.length === 0 ? help : help.replace(/\nGlobal Options:\n(?: .*\n)+/, '')
  const below: string[] = []
  for (const name of namesIn(help)) below.push(...(await helpOf([...words, name])))
  return [title, `\`\`\`text\n${shown.trim()}\n\`\`\``, ...below]
}

function namesIn(help: string): readonly string[] {
  const listing = /\nCommands:\n((?: .*\n)+)/.exec(help)?.[1] ?? ''
  return [...listing.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name ?? '').filter((name) => name !== 'help')
}

async function readHelp(words: readonly string[]): Promise<string> {
  const told: string[] = []
  const sink = { write: (text: string) => told.push(text) }
  const io: CommandIo = { stdin: noInput(), stdout: sink, stderr: sink, env: {}, cwd: '/' }
  const code = await runCommand([...words, '--help'], io)
  if (code !== EXIT.completed) throw new Error(`no help for: ${words.join(' ')}`)
  return told.join('')
}

async function* noInput(): AsyncGenerator<string> {}
