import type { HoldfastEvent } from '../src/contracts/event.ts'
import type { EventsOptions, ThreadHandle } from '../src/contracts/thread-handle.ts'

/** All events of a stream, which are also told one by one as they come. */
export async function collect(
  handle: Pick<ThreadHandle, 'events'>,
  { see, ...options }: EventsOptions & { readonly see?: (event: HoldfastEvent) => void } = {}
): Promise<HoldfastEvent[]> {
  const events: HoldfastEvent[] = []
  for await (const event of handle.events(options)) {
    events.push(event)
    see?.(event)
  }
  return events
}
