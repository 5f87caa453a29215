import type { DatabaseSync } from 'node:sqlite'
import type { HintListeners } from './hint-listeners.ts'
import { createHintListeners } from './hint-listeners.ts'

const POLL_MS = 100

/** Listeners, and the watch over other processes that runs only while there is one. It keeps no process alive. */
export interface SqliteHints {
  readonly listeners: HintListeners
  close(): void
}

/** Own writes are told by the store itself; those of other connections are noticed by the file's data version. */
export function createSqliteHints(db: DatabaseSync): SqliteHints {
  const version = db.prepare('PRAGMA data_version')
  let seen: unknown
  let timer: NodeJS.Timeout | null = null

  function poll(): void {
    const found = readVersion()
    if (found === null || found === seen) return
    seen = found
    listeners.tell([null])
  }

  function readVersion(): unknown {
    try {
      return version.get()?.['data_version'] ?? null
    } catch {
      // Locked or unreadable just now: a hint may be late, and every call of the store tells of the trouble itself.
      return null
    }
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  const listeners = createHintListeners((size) => {
    if (size === 0) return stop()
    if (timer !== null) return
    seen = readVersion()
    timer = setInterval(poll, POLL_MS).unref()
  })
  return { listeners, close: stop }
}
