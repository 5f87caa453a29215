import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** One thing that a tool really did, under the key of the call that asked for it. */
export interface LedgerEntry {
  readonly key: string
  readonly tool: string
  readonly did: string
  readonly pid: number
}

/** The ledger of a folder: what an accountant would look at to see whether anything was done twice. */
export function readLedger(path: string): readonly LedgerEntry[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  // What follows the last newline is still being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LedgerEntry)
}

/** Notes that something was done. */
export function noteInLedger(path: string, entry: Omit<LedgerEntry, 'pid'>): void {
  appendFileSync(path, `${JSON.stringify({ ...entry, pid: process.pid })}\n`)
}

/** The keys under which something was done more than once. */
export function findRepeats(entries: readonly LedgerEntry[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { key } of entries) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key)
}
