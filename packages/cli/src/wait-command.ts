import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { WaitNotice } from '@holdfast/config'
import type { Environment } from './env-file.ts'
import type { Notice, NoticeOptions } from './wait-notice.ts'

/** How long a program gets to tell somebody. */
const TIMEOUT_MS = 10_000
/** What a program that tells people needs to be found, to find its files and to reach a desktop. Keys of the project are not among it. */
const PASSED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT', 'PATHEXT'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR']
]

/** Runs a program for each wait, without a shell: the wait as JSON on its standard input. */
export function createCommandNotice({ command }: Extract<WaitNotice, { command: unknown }>, { folder, env }: NoticeOptions): Notice {
  const running = new Set<ChildProcess>()
  return {
    tell: (message) => run(command, `${JSON.stringify(message)}\n`, { folder, env: toPassed(env), running }),
    [Symbol.dispose]: () => running.forEach(end)
  }
}

interface Running {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly running: Set<ChildProcess>
}

function run([program = '', ...args]: readonly string[], input: string, { folder, env, running }: Running): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // A group of its own, so that what it starts ends with it.
  const child = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  running.add(child)
  const late = setTimeout(() => {
    end(child)
    reject(new Error(`the command of onWait took longer than ${TIMEOUT_MS} ms and was ended`))
  }, TIMEOUT_MS)
  // A program need not read what it is told.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve()
    else reject(new Error(`the command of onWait ended with ${signal ?? `exit code ${code}`}`))
  })
  return promise.finally(() => {
    clearTimeout(late)
    running.delete(child)
  })
}

function end(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself, or the system has no groups.
    child.kill('SIGKILL')
  }
}

function toPassed(env: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
