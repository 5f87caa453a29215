import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('./fixtures/store-child.ts', import.meta.url))

/** Another process at work on a store's file. */
export interface StoreChild {
  /** What it has said, line by line. */
  readonly lines: string[]
  /** Resolves when it has said so many lines. */
  said(count: number): Promise<void>
  kill(): void
  /** How it ended: `null` when it was killed. */
  readonly ended: Promise<number | null>
}

/** Starts `fixtures/store-child.ts` in the given mode. */
export function startStoreChild(mode: string, path: string, argument = ''): StoreChild {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', SCRIPT, mode, path, argument], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines: string[] = []
  let partial = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (partial + text).split('\n')
    partial = parts.pop() ?? ''
    lines.push(...parts)
  })
  let isOver = false
  const ended = once(child, 'close').then(([code]) => {
    isOver = true
    return code as number | null
  })
  return {
    lines,
    ended,
    kill: () => {
      child.kill('SIGKILL')
    },
    async said(count) {
      while (lines.length < count && !isOver) await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}
