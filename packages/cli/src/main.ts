// The process: streams, signals and the exit code. Everything else is `runCommand`.
import process from 'node:process'
import type { CommandIo, StrayEnd } from './command-io.ts'
import { CommandSecrets } from './command-secrets.ts'
import { endProcess, endProcessNow, isEnding } from './end-process.ts'
import { EXIT, exitCodeOfSignal, OUTPUT_LOST } from './exit-code.ts'
import { takeStreams } from './own-streams.ts'
import { omitWarnings } from './process-warnings.ts'
import { runCommand } from './program.ts'
import { REMEDIES } from './remedies.ts'
import { toStrayExit, toStrayThrow } from './stray-end.ts'

const interrupted = new AbortController()

/** The first signal lets go, the second one ends at once. */
function interrupt(signal: string): void {
  if (interrupted.signal.aborted) endProcessNow(exitCodeOfSignal(signal))
  interrupted.abort(signal)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt(signal))

/** What cannot be written for another reason than that nobody reads it. */
let lost: Error | undefined

/** Nobody is given what is said: what is driven is let go, once. A reader that has gone knows it; everybody else is told. */
function loseOutput(error: Error): void {
  if (interrupted.signal.aborted) return
  const isUnread = 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET')
  if (!isUnread) lost = error
  interrupted.abort(isUnread ? 'SIGPIPE' : OUTPUT_LOST)
}

process.stdout.on('error', loseOutput)
process.stderr.on('error', () => undefined)
const streams = takeStreams(process)

omitWarnings(new Set(['MODULE_TYPELESS_PACKAGE_JSON']))

const secrets = new CommandSecrets()
/** What the command has said of itself. */
let code: number | undefined
let tellEnd = ({ report: { message }, stack = '' }: StrayEnd): number => {
  streams.stderr.write(`${secrets.redact(`error[process_ended]: ${message}\n${stack}`)}\n`)
  return EXIT.failed
}

process.on('uncaughtException', (error) => {
  const told = tellEnd(toStrayThrow(error))
  endProcessNow(code ?? told)
})
process.on('exit', () => {
  if (isEnding()) return
  process.exitCode = code ?? tellEnd(toStrayExit())
})

const io: CommandIo = {
  stdin: process.stdin,
  stdout: streams.stdout,
  stderr: streams.stderr,
  setStray: streams.setStray,
  setStrayEnd: (tell) => {
    tellEnd = tell
  },
  env: process.env,
  secrets,
  cwd: process.cwd(),
  enter: (folder) => process.chdir(folder),
  adopt: (env) => {
    for (const [name, value] of Object.entries(env)) if (process.env[name] === undefined) process.env[name] = value
  },
  signal: interrupted.signal,
  ...(process.stdin.isTTY && process.stdout.isTTY
    ? { terminal: { input: process.stdin, output: streams.screen, interrupt: () => interrupt('SIGINT') } }
    : {})
}

// Who only watches has nothing else that keeps the process.
setInterval(() => undefined, 1 << 30)
code = await runCommand(process.argv.slice(2), io)
// What is still open (a tool that does not stop, a connection that is kept) must not keep the process; what was written must be out.
const failed = await streams.flush()
if (failed !== undefined) loseOutput(failed)
if (lost !== undefined) {
  streams.stderr.write(
    `error[output_unwritable]: Standard output cannot be written: ${lost.message}. What was done is done and kept.\n  ${REMEDIES.output_unwritable}\n`
  )
  await streams.flush()
}
await endProcess(lost === undefined ? code : exitCodeOfSignal(OUTPUT_LOST))
