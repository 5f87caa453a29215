import type { ThreadId } from '../contracts/ids.ts'
import type { NewWait } from '../contracts/wait.ts'

/** Whether a thread would wait for itself by what its targets wait for. */
export function closesCycle(waiter: ThreadId, wait: NewWait, openTargetsOf: (thread: ThreadId) => readonly ThreadId[]): boolean {
  const seen = new Set<ThreadId>()
  const queue = [...(wait.targets ?? [])]
  for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
    if (target === waiter) return true
    if (seen.has(target)) continue
    seen.add(target)
    queue.push(...openTargetsOf(target))
  }
  return false
}
