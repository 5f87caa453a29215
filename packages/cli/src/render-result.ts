import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, RunResult, WaitRow } from '@holdfast/runtime'
import { exitCodeOfStatus } from './exit-code.ts'
import type { LiveText } from './live-text.ts'
import type { Output } from './output.ts'
import { renderCost, renderUsage } from './render-usage.ts'
import { toJsonText, toVisibleLine } from './visible-text.ts'
import { toDecideLine } from './decide-step.ts'
import { toWaitLine } from './wait-text.ts'

/** How a result is told. */
export interface RenderOptions {
  readonly live?: LiveText
  /** Makes the command line of a thread's command, such as `resume`. */
  readonly again: (command: string) => string
  /** As `--store` named it. */
  readonly store: string | undefined
  /** What stands in the document beside the result. */
  readonly about?: JsonObject
}

/** Tells what became of a run and gives the exit code. */
export function renderResult(result: RunResult, output: Output, options: RenderOptions): number {
  output.document({ ...options.about, ...result })
  output.breakLine()
  const say = NOTICES[result.status]
  for (const line of say(result, options)) output.notice(line)
  if (result.status === 'completed') output.progress(`completed: ${renderUsage(result.usage)}, ${renderCost(result.cost)}`)
  const text = finalText(result)
  if (text !== undefined && !hasShown(result, text, options.live)) output.result(text)
  return exitCodeOfStatus(result.status)
}

/** What a run waits for, on one line. */
export function renderWait(wait: WaitRow): string {
  const { id, expiresAt } = wait
  const until = expiresAt === undefined ? '' : `, expires ${new Date(expiresAt).toISOString()}`
  return `${wait.kind}: ${toWaitLine(wait)} (${toVisibleLine(id)}${until})`
}

type Told = Pick<RenderOptions, 'again' | 'store'>
type Notices = { readonly [status in RunResult['status']]: (result: RunResult, told: Told) => readonly string[] }

const NOTICES: Notices = {
  completed: () => [],
  failed: ({ error }, { again }) => [
    `error[${toVisibleLine(error?.code ?? 'internal')}]: the run failed: ${toVisibleLine(error?.message ?? 'no reason was given', 2000)}`,
    ...toRetryLines(error?.code, 'Try again with', again)
  ],
  cancelled: ({ stopReason }) => [`The run was cancelled${stopReason === undefined ? '' : `: ${toVisibleLine(stopReason)}`}.`],
  stopped: ({ stopReason }, { again }) => [
    `The run was stopped by a limit: ${toVisibleLine(stopReason ?? 'unknown')}.`,
    ...toRetryLines(stopReason, 'Go on with', again)
  ],
  waiting: ({ waits }, { again, store }) => {
    const lines = waits.map((wait) => toDecideLine(wait, store))
    return [
      'The run waits:',
      ...waits.flatMap((wait, index) => [`  ${renderWait(wait)}`, ...(lines[index] === undefined ? [] : [`    ${lines[index]}`])]),
      ...(lines.some((line) => line !== undefined) ? [] : [`  Go on, when there is something to go on with: ${again('resume')}`])
    ]
  }
}

/** What only another budget helps against: a retry alone ends in the same way. */
const OF_BUDGETS: ReadonlySet<string> = new Set([
  ...['token_budget', 'cost_budget', 'cost_unknown', 'time_budget', 'tool_call_budget'],
  'usage_missing'
])

function toRetryLines(why: string | undefined, words: string, again: Told['again']): readonly string[] {
  if (why === undefined || !OF_BUDGETS.has(why)) return [`  ${words}: ${again('retry')}`]
  return [`  First set the budget again: ${again('budget extend')} LIMIT`, `  Then ${words.toLowerCase()}: ${again('retry')}`]
}

function finalText({ status, text, output }: RunResult): string | undefined {
  if (status !== 'completed') return undefined
  return output === undefined || typeof output === 'string' ? (text ?? (output as string | undefined)) : toJsonText(output, 2)
}

/** A validated output was streamed as the text that it was made from. */
function hasShown({ output }: RunResult, text: string, live: LiveText | undefined): boolean {
  if (live === undefined) return false
  if (output === undefined || typeof output === 'string') return live.hasShown(text)
  return isDeepStrictEqual(live.asJson(), output)
}
