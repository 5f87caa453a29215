import type { ThreadId } from '../contracts/ids.ts'

/** Who wants to know that something may have happened to a thread. A listener that throws is ignored: hints are never relied on. */
export interface HintListeners {
  add(listener: (thread: ThreadId | null) => void): Disposable
  tell(threads: readonly (ThreadId | null)[]): void
  readonly size: number
}

/** An empty set of listeners. `onChange` is told the new size. */
export function createHintListeners(onChange: (size: number) => void = () => {}): HintListeners {
  const listeners = new Map<symbol, (thread: ThreadId | null) => void>()
  return {
    get size() {
      return listeners.size
    },
    add(listener) {
      const key = Symbol('listener')
      listeners.set(key, listener)
      onChange(listeners.size)
      return {
        [Symbol.dispose]() {
          if (listeners.delete(key)) onChange(listeners.size)
        }
      }
    },
    tell(threads) {
      if (listeners.size === 0) return
      const each = threads.length > 1 ? new Set(threads) : threads
      for (const thread of each) for (const listener of listeners.values()) callQuietly(listener, thread)
    }
  }
}

function callQuietly(listener: (thread: ThreadId | null) => void, thread: ThreadId | null): void {
  try {
    listener(thread)
  } catch {
    // A hint may be lost; the caller of the store must not see a listener's error.
  }
}
