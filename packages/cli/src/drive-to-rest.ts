import type { Commit, Cursor, RunResult, ThreadHandle } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { LiveText } from './live-text.ts'
import { createEventRenderer } from './render-event.ts'
import { renderResult } from './render-result.ts'
import type { Workspace } from './workspace.ts'

/** How long running tools get to end after an interruption. */
const TOOL_GRACE_MS = 5_000
/** How much of the log before a place is read to know the calls that are open there. */
const COMMITS_BEFORE = 100
const BYTES_BEFORE = 4 * 1024 * 1024

/** Shows a thread that is driven here until it rests, then what became of its run. A signal lets it go. Gives the exit code. */
export async function driveToRest(
  thread: ThreadHandle,
  context: CommandContext,
  workspace: Workspace,
  options: { readonly after?: Cursor } = {}
): Promise<number> {
  const { output, interruption } = context
  const over = new AbortController()
  const signal = AbortSignal.any([interruption.signal, over.signal])
  const live = new LiveText(output)
  const shown = showEvents(thread, context, live, { signal, ...options })
  try {
    const result = await thread.settled({ signal })
    await shown
    return renderResult(result, output, { live, again: againOf(thread.id, context) })
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    return await letGo(thread, context, workspace)
  } finally {
    over.abort()
    await shown
  }
}

/** Makes the line with which a person goes on with a thread. */
export function againOf(thread: string, { options }: CommandContext): (command: string) => string {
  const store = options.store === undefined ? '' : ` --store ${quote(options.store)}`
  return (command) => `holdfast ${command} ${thread}${store}`
}

/** The place behind everything that stands in the log now: a reader that begins there is shown only what is new. */
export async function headOf(thread: ThreadHandle): Promise<Cursor> {
  const { head } = await thread.info()
  const [last] = await thread.log(head, 1)
  return { sequence: head, index: Math.max(0, (last?.facts.length ?? 1) - 1) }
}

/** What stands shortly before a place: the turn that may be open there. */
function readBefore(thread: ThreadHandle, after: Cursor | undefined): Promise<readonly Commit[]> {
  return after === undefined ? Promise.resolve([]) : thread.log(Math.max(1, after.sequence - COMMITS_BEFORE), BYTES_BEFORE)
}

async function showEvents(
  thread: ThreadHandle,
  context: CommandContext,
  live: LiveText,
  options: { readonly signal: AbortSignal; readonly after?: Cursor }
): Promise<void> {
  const { output } = context
  try {
    const render = createEventRenderer({ before: await readBefore(thread, options.after), live: output.live })
    for await (const event of thread.events(options)) {
      output.line(event)
      live.take(event)
      const line = render(event)
      if (line !== undefined) output.progress(output.paint(line, 'dim'))
    }
  } catch (error) {
    // Watching is not the work: `settled` tells what went wrong with that.
    if (!options.signal.aborted)
      output.progress(`warning: events cannot be shown: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Releases what is driven. When its last tools brought it to rest meanwhile, that is told instead. */
async function letGo(thread: ThreadHandle, context: CommandContext, { runtime }: Workspace): Promise<number> {
  const { output, interruption } = context
  output.breakLine()
  output.progress('letting go: tools that run get a moment; a second signal ends at once')
  await runtime.close({ graceMs: TOOL_GRACE_MS, modelGraceMs: 0 })
  const again = againOf(thread.id, context)
  const ended = await endedResult(thread)
  if (ended !== undefined) return renderResult(ended, output, { again })
  const { row } = await thread.info()
  output.document({ thread: thread.id, status: row.status, interrupted: String(interruption.signal.reason), resume: again('resume') })
  output.notice(`Let go of ${thread.id}, nothing was cancelled. Go on with: ${again('resume')}`)
  return interruption.exitCode
}

async function endedResult(thread: ThreadHandle): Promise<RunResult | undefined> {
  const { row, pending } = await thread.info()
  const isOpen = row.status === 'queued' || row.status === 'running' || pending > 0
  return isOpen ? undefined : thread.settled()
}

function quote(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
