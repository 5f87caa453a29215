// The process: streams, signals and the exit code. Everything else is `runCommand`.
import process from 'node:process'
import { inspect } from 'node:util'
import type { CommandIo } from './command-io.ts'
import { CommandSecrets } from './command-secrets.ts'
import { exitCodeOfSignal } from './exit-code.ts'
import { omitWarnings } from './process-warnings.ts'
import { runCommand } from './program.ts'

const interrupted = new AbortController()

/** The first signal lets go, the second one ends at once. */
function interrupt(signal: string): void {
  if (interrupted.signal.aborted) process.exit(exitCodeOfSignal(signal))
  interrupted.abort(signal)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt(signal))
// Whoever read the output has gone: nobody is told anything more, and what is driven is let go, once.
process.stdout.on('error', () => {
  if (!interrupted.signal.aborted) interrupted.abort('SIGPIPE')
})
process.stderr.on('error', () => undefined)

omitWarnings(new Set(['MODULE_TYPELESS_PACKAGE_JSON']))

const secrets = new CommandSecrets()
// What code of the user throws where nobody catches it may quote a secret. The process ends as it would without this.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${secrets.redact(inspect(error))}\n`)
  process.exit(1)
})

const io: CommandIo = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  secrets,
  cwd: process.cwd(),
  enter: (folder) => process.chdir(folder),
  adopt: (env) => {
    for (const [name, value] of Object.entries(env)) if (process.env[name] === undefined) process.env[name] = value
  },
  signal: interrupted.signal,
  ...(process.stdin.isTTY && process.stdout.isTTY
    ? { terminal: { input: process.stdin, output: process.stdout, interrupt: () => interrupt('SIGINT') } }
    : {})
}

// Who only watches has nothing else that keeps the process.
setInterval(() => undefined, 1 << 30)
process.exitCode = await runCommand(process.argv.slice(2), io)
// What is still open (a tool that does not stop, a connection that is kept) must not keep the process; what was written must be out.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit()
