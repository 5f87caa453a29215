import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { againOf } from '../drive-to-rest.ts'
import { renderResult } from '../render-result.ts'
import { parseThreadId } from '../thread-id.ts'
import { timeLimit } from '../time-limit.ts'
import { noticeIdle, tellUnrested } from '../watch-to-rest.ts'
import { openExisting } from '../workspace.ts'

interface WaitOptions {
  readonly timeout?: number
}

/** `holdfast wait` */
export function waitCommand(choose: Choose): Command {
  return new Command('wait')
    .description('Waits until a thread that others drive rests, then tells what became of its run.')
    .argument('<thread>', 'its id')
    .option('--timeout <time>', 'give up after 500, 30s, 5m or 1h', timeLimit)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast wait thr_0123456789abcdef && deploy
  $ holdfast wait thr_0123456789abcdef --timeout 10m --json

The exit code is that of the run: 3 when it waits for somebody. 124: the time was over; the run goes on.`
    )
    .action((thread: string, options: WaitOptions) => choose((context) => waitFor(context, parseThreadId(thread), options)))
}

async function waitFor(context: CommandContext, id: string, { timeout }: WaitOptions): Promise<number> {
  const { output, interruption } = context
  if (timeout !== undefined) interruption.limit(timeout)
  await using workspace = await openExisting(context)
  const thread = workspace.runtime.thread(id)
  await noticeIdle(thread, context)
  return await interruption.hold(async () => {
    try {
      const result = await thread.settled({ signal: interruption.signal })
      return renderResult(result, output, { again: againOf(id, context), store: context.options.store })
    } catch (error) {
      if (!interruption.signal.aborted) throw error
      return await tellUnrested(thread, context)
    }
  })
}
