import { Command } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime, ThreadInfo } from '@holdfast/runtime'
import type { Choose, CommandContext } from '../command-context.ts'
import { againOf } from '../drive-to-rest.ts'
import { EXIT } from '../exit-code.ts'
import { isRuntimeError } from '../failure.ts'
import { lifeOf } from '../owner.ts'
import { plural } from '../plural.ts'
import { agrees } from '../question.ts'
import { parseThreadId } from '../thread-id.ts'
import { removeMemo } from '../thread-memo.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openExisting } from '../workspace.ts'

interface RemoveOptions {
  readonly force?: boolean
  readonly unfinished?: boolean
}

/** What became of one thread. `busy`: it is left as it is. */
interface Removal {
  readonly thread: string
  readonly state: 'removed' | 'missing' | 'busy'
  readonly message?: string
}

const LOOK_MS = 200

/** `holdfast rm` */
export function removeCommand(choose: Choose): Command {
  return new Command('rm')
    .description('Removes threads that rest: their logs, inboxes, waits and runs. There is no way back.')
    .argument('<threads...>', 'their ids')
    .option('-f, --force', 'do not ask, on a terminal')
    .option('--unfinished', 'also threads that nobody drives and whose run has not come to rest')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast rm thr_0123456789abcdef
  $ holdfast threads --status failed --json | jq -r '.items[].id' | xargs holdfast rm

Nothing is killed: a thread that somebody drives, or whose run has not come to rest, is left as it is and the exit
code is 6. End such a run with \`holdfast cancel\`, which needs none of its tools, or remove it as it stands with
--unfinished: what its calls had begun is then looked after by nobody. A thread that is gone already is no error. Its artifacts
go with \`holdfast artifacts gc\`, a day after they were put.
With --json: { "items": [{ "thread", "state": "removed" | "missing" | "busy", "message"? }] }.`
    )
    .action((threads: readonly string[], options: RemoveOptions) =>
      choose((context) => removeThreads(context, threads.map(parseThreadId), options))
    )
}

async function removeThreads(context: CommandContext, given: readonly string[], options: RemoveOptions): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const { runtime, location } = workspace
  const threads = [...new Set(given)]
  if (options.force !== true && !(await agrees(await describe(runtime, threads), context))) {
    output.document({ items: [] })
    output.notice('Nothing was removed.')
    return EXIT.failed
  }
  const items: Removal[] = []
  for (const thread of threads) {
    const removal = await remove(runtime, thread, context, options)
    // Also of a thread that was removed by a command that did not come this far.
    if (removal.state !== 'busy') removeMemo(location, thread)
    items.push(removal)
    tell(removal, context)
  }
  output.document({ items })
  return items.some(({ state }) => state === 'busy') ? EXIT.unreachable : EXIT.completed
}

async function remove(runtime: Runtime, thread: string, context: CommandContext, { unfinished = false }: RemoveOptions): Promise<Removal> {
  try {
    if (unfinished) await outliveDead(runtime, thread, context)
    return { thread, state: (await runtime.thread(thread).remove({ unfinished })) ? 'removed' : 'missing' }
  } catch (error) {
    if (!isRuntimeError(error) || error.code !== 'thread_busy') throw error
    return { thread, state: 'busy', message: error.message }
  }
}

/** A process that is gone has its thread for the rest of its lease. */
async function outliveDead(runtime: Runtime, thread: string, { output, interruption }: CommandContext): Promise<void> {
  const look = (): Promise<ThreadInfo | undefined> =>
    runtime
      .thread(thread)
      .info()
      .catch(() => undefined)
  for (let told = false; ; told = true) {
    const owner = (await look())?.owner
    if (owner === undefined || (await lifeOf(owner.worker)) !== 'dead') return
    if (!told) output.progress(`${toVisibleLine(owner.worker)} is gone: its lease ends at ${new Date(owner.leaseUntil).toISOString()}`)
    await sleep(LOOK_MS, undefined, { signal: interruption.signal })
  }
}

function tell({ thread, state, message }: Removal, context: CommandContext): void {
  const { output } = context
  if (state === 'removed') output.result(`removed ${thread}`)
  else if (state === 'missing') output.progress(`There is no thread ${thread}.`)
  else {
    output.notice(`${output.paint('error[thread_busy]', 'red')}: ${toVisibleLine(message ?? '', 500)}`)
    output.notice(`  Let it come to rest, or end its run with: ${againOf(thread, context)('cancel')}`)
  }
}

/** What is about to go, for the person who is asked. */
async function describe(runtime: Runtime, threads: readonly string[]): Promise<string> {
  const [only] = threads
  if (threads.length > 1 || only === undefined) return `Remove ${plural(threads.length, 'thread')} with all that they hold? [y/N] `
  const info = await runtime
    .thread(only)
    .info()
    .catch(() => undefined)
  const what = info === undefined ? '' : ` (${toVisibleLine(info.row.agent, 40)}, ${info.row.status})`
  return `Remove ${only}${what} with all that it holds? [y/N] `
}
