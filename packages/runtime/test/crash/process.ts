import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/contracts/store.ts'
import type { ChildOptions } from './child.ts'

const SCRIPT = fileURLToPath(new URL('./child.ts', import.meta.url))

/** A line that a child wrote. */
export interface Line {
  readonly [key: string]: unknown
}

/** A child under the control of a test; killed at its end. */
export interface Child {
  readonly pid: number
  readonly lines: readonly Line[]
  /** The first line with these keys and values, as soon as it is there. Fails when the child ends before. */
  says(wanted: Line): Promise<Line>
  tell(line: 'go' | 'finish' | 'stop'): void
  kill(signal: NodeJS.Signals): void
  /** The signal that ended it, or its exit code. */
  readonly ended: Promise<string | number>
}

/** Starts a process of the crash tests. */
export function startChild(options: ChildOptions): Child {
  return startScript(SCRIPT, options)
}

/** Starts a program that is given its options as JSON and says what happens, a line of JSON each. */
export function startScript(script: string, options: object): Child {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', script, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const lines: Line[] = []
  const listeners = new Set<() => void>()
  const look = () => {
    for (const listener of listeners) listener()
  }
  // A process that was killed closes its input while it is written to.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line))
    look()
  })
  // Not when it has exited: what it said last may still be under way.
  let isOver = false
  const ended = once(child, 'close').then(([code, signal]) => {
    isOver = true
    look()
    return signal ?? code
  })
  onTestFinished(() => end(child, ended))
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    tell: (line) => child.stdin.write(`${line}\n`),
    kill: (signal) => child.kill(signal),
    async says(wanted) {
      for (;;) {
        const found = lines.find((line) =>
          Object.entries(wanted).every(([key, value]) => JSON.stringify(line[key]) === JSON.stringify(value))
        )
        if (found) return found
        if (isOver) {
          throw new Error(`the process ended without ${JSON.stringify(wanted)}; it said ${JSON.stringify(lines).slice(0, 2_000)}`)
        }
        await new Promise<void>((resolve) => listeners.add(resolve))
      }
    }
  }
}

/** What children have appended to a file: whole lines, for somebody may be writing. */
export function wholeLinesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}

/** Ends the lease under which a process that died has a thread: the rest of it need not be waited for. */
export async function endLease(store: Store, thread: string): Promise<void> {
  const owner = (await store.thread(thread))?.owner
  if (owner !== undefined) await store.beat(owner.worker, 0, [])
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // Also one that is stopped.
  child.kill('SIGKILL')
  await ended
}
