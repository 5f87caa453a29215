import type { Cursor, ThreadHandle } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { againOf, showEvents } from './drive-to-rest.ts'
import { drivingOf } from './driving.ts'
import { LiveText } from './live-text.ts'
import { renderResult } from './render-result.ts'

/** Shows a thread that others drive until it rests, then what became of its run. Gives the exit code. A signal ends only the watching. */
export async function watchToRest(
  thread: ThreadHandle,
  context: CommandContext,
  options: { readonly after?: Cursor } = {}
): Promise<number> {
  const { output, interruption } = context
  return await interruption.hold(async () => {
    const over = new AbortController()
    const signal = AbortSignal.any([interruption.signal, over.signal])
    const live = new LiveText(output)
    const shown = showEvents(thread, context, live, { signal, ...options })
    try {
      const result = await thread.settled({ signal })
      const others = await shown
      others.release()
      return renderResult(result, output, { live, again: againOf(thread.id, context), store: context.options.store })
    } catch (error) {
      if (!interruption.signal.aborted) throw error
      return await tellUnrested(thread, context)
    } finally {
      over.abort()
      await shown
    }
  })
}

/** Says that the watching is over, and not the run. Gives the exit code. */
export async function tellUnrested(thread: ThreadHandle, { output, interruption }: CommandContext): Promise<number> {
  const { row } = await thread.info()
  output.document({ thread: thread.id, status: row.status, interrupted: String(interruption.signal.reason) })
  output.notice(`${thread.id} has not come to rest (${row.status}). What others do with it goes on.`)
  return interruption.exitCode
}

/** Says when nobody drives a thread that has something to do: then waiting for it may take for ever. */
export async function noticeIdle(thread: ThreadHandle, context: CommandContext): Promise<void> {
  const driving = await drivingOf(await thread.info())
  if (driving === 'driven' || driving === 'resting') return
  context.output.notice(`Nobody drives ${thread.id} now. To do that, in this terminal or another: ${againOf(thread.id, context)('resume')}`)
}
