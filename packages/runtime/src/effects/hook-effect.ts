import type { Fact } from '../contracts/fact.ts'
import type { Running } from '../contracts/heart.ts'

/** What hooks are asked, as an effect. One that is aborted says nothing: whoever owns the thread then asks again, or does not want to know. */
export function startHooks(
  work: (signal: AbortSignal) => Promise<readonly Fact[]>,
  done: (facts: readonly Fact[]) => void,
  failed: (error: unknown) => readonly Fact[]
): Running {
  const stop = new AbortController()
  let isOver = false
  const end = (facts: readonly Fact[]): void => {
    if (isOver) return
    isOver = true
    done(facts)
    stop.abort(new Error('nobody waits for this any more'))
  }
  work(stop.signal).then(end, (error: unknown) => end(failed(error)))
  return { abort: () => end([]) }
}
