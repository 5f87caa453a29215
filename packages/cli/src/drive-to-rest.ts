import type { Commit, Cursor, HoldfastEvent, JsonObject, RunResult, ThreadHandle } from '@holdfast/runtime'
import type { Approver } from './approver.ts'
import type { CommandContext } from './command-context.ts'
import { Failure, isRuntimeError } from './failure.ts'
import { LiveText } from './live-text.ts'
import { OwnAttempts } from './own-attempts.ts'
import { loadIsOwn } from './owner.ts'
import { createEventRenderer } from './render-event.ts'
import { renderResult } from './render-result.ts'
import { toShellWord } from './shell-word.ts'
import type { Workspace } from './workspace.ts'

/** How a drive is shown. */
export interface ShowOptions {
  /** What stands before this is known already. */
  readonly after?: Cursor
  /** Makes the command line of a thread's command. Default: `againOf`. */
  readonly again?: (command: string) => string
  /** Events that are not told to a person. */
  readonly omit?: ReadonlySet<HoldfastEvent['type']>
  /** Called for every event, after it has been shown. */
  readonly onEvent?: (event: HoldfastEvent) => void
  /** Decides about what the run waits for; whether it goes on then. */
  readonly approver?: Approver
  /** What the document of the result says beside the result. */
  readonly about?: JsonObject
  /** A run that was over before: its end is no news. Tells what is instead, and gives the exit code. */
  readonly over?: { readonly run: string; tell(result: RunResult): number }
  /** What others make of the thread, once they have taken it from this process, is an answer, too. */
  readonly follows?: boolean
}

/** How long running tools get to end after an interruption. */
const TOOL_GRACE_MS = 5_000
/** How much of the log before a place is read to know the calls that are open there. */
const COMMITS_BEFORE = 100
const BYTES_BEFORE = 4 * 1024 * 1024

/**
 * Shows a thread that is driven here until it rests, then what became of its run. A signal lets it go. Gives the exit code. Throws `thread_taken` when
 * another process has taken it: its answer would be handled twice.
 */
export async function driveToRest(
  thread: ThreadHandle,
  context: CommandContext,
  workspace: Workspace,
  options: ShowOptions = {}
): Promise<number> {
  const { interruption } = context
  const again = options.again ?? againOf(thread.id, context)
  interruption.holds({ ...interruption.held, goesOn: again('resume') })
  for (let after = options.after; ; ) {
    const live = new LiveText(context.output)
    const driven = await driveOnce(thread, context, live, {
      ...options,
      ...(after === undefined ? {} : { after }),
      onEvent: (event) => {
        if ('cursor' in event) after = event.cursor
        options.onEvent?.(event)
      }
    }).catch((error: unknown) => {
      throw explainTaken(error, again, options.about)
    })
    if (driven === undefined) return interruption.tells(await letGo(thread, context, workspace, again))
    if (driven.status === 'waiting' && (await options.approver?.decide(driven.waits)) === true) continue
    const code = tellResult(driven, context, options, { live, again })
    return interruption.tells(interruption.signal.aborted ? interruption.exitCode : code)
  }
}

function tellResult(
  result: RunResult,
  { output, options: { store } }: CommandContext,
  { over, about }: ShowOptions,
  told: { readonly live: LiveText; again(command: string): string }
): number {
  if (over?.run === result.run) return over.tell(result)
  return renderResult(result, output, { ...told, store, ...(about && { about }) })
}

/** What became of the run; nothing when a signal came before that. */
async function driveOnce(
  thread: ThreadHandle,
  context: CommandContext,
  live: LiveText,
  options: ShowOptions
): Promise<RunResult | undefined> {
  const { signal: interrupted } = context.interruption
  const over = new AbortController()
  const signal = AbortSignal.any([interrupted, over.signal])
  const shown = showEvents(thread, context, live, { ...options, signal })
  try {
    const result = await thread.settled({ signal, here: options.follows !== true })
    const others = await shown
    others.release()
    return result
  } catch (error) {
    if (!interrupted.aborted) throw error
    return undefined
  } finally {
    over.abort()
    await shown
  }
}

/** Adds what to do about a thread that was taken, and what was done with it here. */
function explainTaken(error: unknown, again: (command: string) => string, about: JsonObject = {}): unknown {
  if (!isRuntimeError(error) || error.code !== 'thread_taken') return error
  const { message, details } = error
  const remedy =
    details['leaseUntil'] === undefined
      ? `See what became of it: ${again('show')}`
      : `Watch it: ${again('attach')}. To take it back: ${again('resume')} --takeover`
  return new Failure(error.code, message, { details: { ...about, ...details }, remedy, cause: error })
}

/** Makes the line with which a person goes on with a thread. */
export function againOf(thread: string, { options }: CommandContext): (command: string) => string {
  const store = options.store === undefined ? '' : ` --store ${toShellWord(options.store)}`
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

/**
 * Shows what happens in a thread, until it rests or the signal comes. Never throws. Gives what was kept back of what others did after they had taken
 * it from this process.
 */
export async function showEvents(
  thread: ThreadHandle,
  context: CommandContext,
  live: LiveText,
  options: ShowOptions & { readonly signal: AbortSignal }
): Promise<OwnAttempts> {
  const { output } = context
  const { signal, after, omit, onEvent } = options
  let render: ReturnType<typeof createEventRenderer> | undefined
  const own = new OwnAttempts(await loadIsOwn(), (event) => {
    output.line(event)
    live.take(event)
    const line = render?.(event)
    // That another model answers is told also where turns are not.
    const isTold = omit?.has(event.type) !== true || (event.type === 'turn.started' && event.data.moved !== undefined)
    if (line !== undefined && isTold) output.progress(output.paint(line, 'dim'))
    onEvent?.(event)
  })
  try {
    render = createEventRenderer({ before: await readBefore(thread, after), live: output.live })
    for await (const event of thread.events({ signal, ...(after === undefined ? {} : { after }) })) own.take(event)
  } catch (error) {
    // Watching is not the work: `settled` tells what went wrong with that.
    if (!signal.aborted) output.progress(`warning: events cannot be shown: ${error instanceof Error ? error.message : String(error)}`)
  }
  return own
}

/** Releases what is driven. When its last tools brought it to rest meanwhile, that is told instead. */
async function letGo(
  thread: ThreadHandle,
  context: CommandContext,
  { runtime }: Workspace,
  again: (command: string) => string
): Promise<number> {
  const { output, interruption } = context
  output.breakLine()
  output.progress('letting go: tools that run get a moment; a second signal ends at once')
  await runtime.close({ graceMs: TOOL_GRACE_MS, modelGraceMs: 0 })
  const ended = await endedResult(thread).catch((error: unknown) => {
    throw explainTaken(error, again)
  })
  if (ended !== undefined) return renderResult(ended, output, { again, store: context.options.store })
  const { row } = await thread.info()
  output.document({ thread: thread.id, status: row.status, interrupted: String(interruption.signal.reason), resume: again('resume') })
  output.notice(`Let go of ${thread.id}, nothing was cancelled. Go on with: ${again('resume')}`)
  return interruption.exitCode
}

async function endedResult(thread: ThreadHandle): Promise<RunResult | undefined> {
  const { row, pending } = await thread.info()
  const isOpen = row.status === 'queued' || row.status === 'running' || pending > 0
  return isOpen ? undefined : thread.settled({ here: true })
}
