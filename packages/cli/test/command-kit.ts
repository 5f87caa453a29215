import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { TextSink } from '../src/command-io.ts'
import { runCommand } from '../src/program.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Guards against hanging: many times what anything here takes. */
const PATIENCE_MS = 120_000

/** What a command said and how it ended. */
export interface Told {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A temporary folder with some files, gone when the test is. */
export function folderWith(files: { readonly [path: string]: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  addFiles(folder, files)
  return folder
}

export function addFiles(folder: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Runs a command as a function. */
export async function holdfast(
  cwd: string,
  argv: readonly string[],
  options: {
    readonly stdin?: string | Uint8Array
    readonly env?: { readonly [name: string]: string }
    readonly tty?: boolean
    readonly signal?: AbortSignal
  } = {}
): Promise<Told> {
  const stdout = sink(options.tty === true)
  const stderr = sink(options.tty === true)
  const code = await runCommand(argv, {
    stdin: input(options.stdin ?? ''),
    stdout,
    stderr,
    env: options.env ?? {},
    cwd,
    ...(options.signal === undefined ? {} : { signal: options.signal })
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** A command as a process of its own. */
export interface Running {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Waits until standard error or standard output shows something. */
  until(pattern: RegExp): Promise<string>
  /** Exit code, or 128 and the number of the signal as a shell would say. */
  readonly ended: Promise<number>
}

/** Starts the command as a process. Killed at the end of the test when it still lives. */
export function startHoldfast(
  cwd: string,
  argv: readonly string[],
  options: { readonly env?: { readonly [name: string]: string }; readonly stdio?: 'ignore' | 'pipe' } = {}
): Running {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', MAIN, ...argv], {
    cwd,
    stdio: [options.stdio ?? 'ignore', 'pipe', 'pipe'],
    env: { ...plainEnv(), ...options.env }
  })
  return watch(child)
}

/** Runs a line of the shell in which `holdfast` is the command. */
export function shell(cwd: string, line: string, env: { readonly [name: string]: string } = {}): Running {
  const command = `holdfast() { '${process.execPath}' --conditions=@holdfast/source '${MAIN}' "$@"; }; ${line}`
  return watch(spawn('bash', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...plainEnv(), ...env } }))
}

/** The thread that a command named first. */
export function threadOf(told: { readonly stderr: string } | string): string {
  const text = typeof told === 'string' ? told : told.stderr
  const found = /thr_\w+/.exec(text)?.[0]
  if (found === undefined) throw new Error(`no thread is named in: ${text}`)
  return found
}

/** Whole lines of a file that may not be there yet, and to which somebody may be writing. */
export function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).filter(Boolean) : []
}

/** Waits until something holds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > until) throw new Error('it has not come about')
    await sleep(20)
  }
}

function watch(child: ChildProcess): Running {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  let isOver = false
  const ended = new Promise<number>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the command hangs; it said: ${stdout}${stderr}`))
    }, PATIENCE_MS)
    // Not when it has exited: what it said last may still be under way.
    child.on('close', (code, signal) => {
      isOver = true
      clearTimeout(late)
      resolve(code ?? 128 + (SIGNALS[signal ?? ''] ?? 0))
    })
  })
  ended.catch(() => undefined)
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    until: async (pattern) => {
      await eventually(() => pattern.test(stdout + stderr) || isOver)
      const found = pattern.exec(stdout + stderr)
      if (found === null) throw new Error(`it ended without ${pattern}: ${stdout}${stderr}`)
      return found[0]
    }
  }
}

const SIGNALS: { readonly [name: string]: number } = { SIGKILL: 9, SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGPIPE: 13 }

function plainEnv(): NodeJS.ProcessEnv {
  const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...env } = process.env
  return env
}

function sink(isTTY: boolean): TextSink & { text(): string } {
  const written: string[] = []
  return { isTTY, write: (text) => written.push(text), text: () => written.join('') }
}

async function* input(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof text === 'string' ? new TextEncoder().encode(text) : text
}
