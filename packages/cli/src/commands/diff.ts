import { isDeepStrictEqual } from 'node:util'
import type { TurnRecord } from '@holdfast/runtime'
import { Command } from 'commander'
import type { Branch, Branches } from '../branches.ts'
import { readBranches } from '../branches.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { loadRuntime } from '../libraries.ts'
import { plural } from '../plural.ts'
import { renderRecord } from '../render-record.ts'
import { createTotal } from '../spending.ts'
import { parseThreadId } from '../thread-id.ts'
import { openExisting } from '../workspace.ts'

/** `holdfast diff` */
export function diffCommand(choose: Choose): Command {
  return new Command('diff')
    .description('Compares two threads, turn by turn from where they part: a thread and its fork, or two forks of one. Looks only.')
    .argument('<a>', 'the id of a thread')
    .argument('<b>', 'that of another one')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast diff thr_0123456789abcdef thr_fedcba9876543210
  $ holdfast diff thr_0123456789abcdef thr_fedcba9876543210 --json | jq .turns[0].differs

Lines of the first thread begin with -, those of the second with +, those of both with a space. Threads part where
their commits differ; a fork's usage is what it has spent itself. With --json: { "common", "a", "b", "turns" }.`
    )
    .action((a: string, b: string) => choose((context) => compare(context, parseThreadId(a), parseThreadId(b))))
}

/** The same place in both threads; null where one has no turn. */
interface Pair {
  readonly a: TurnRecord | null
  readonly b: TurnRecord | null
}

async function compare(context: CommandContext, a: string, b: string): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const { runtime } = workspace
  const found = await readBranches(runtime.thread(a), runtime.thread(b))
  const pairs = toPairs(found)
  const [first, second] = await Promise.all(found.branches.map(toSummary))
  output.document({
    common: found.common,
    a: first,
    b: second,
    turns: pairs.map((pair) => ({ ...pair, differs: differingFields(pair) }))
  })
  output.result([...pairs.flatMap(renderPair), ...renderTotals(found, [first, second])].join('\n'))
  return EXIT.completed
}

function toPairs({ branches: [a, b] }: Branches): readonly Pair[] {
  const count = Math.max(a.turns.length, b.turns.length)
  return Array.from({ length: count }, (_, index) => ({ a: a.turns[index] ?? null, b: b.turns[index] ?? null }))
}

async function toSummary({ thread, status, turns }: Branch) {
  const total = createTotal(await loadRuntime())
  for (const { usage, cost } of turns) total.add({ usage, cost })
  const { usage, cost } = total.value
  return { thread, status, turns: turns.length, usage, cost }
}

type Summary = Awaited<ReturnType<typeof toSummary>>

/** What a turn is, in other words: not where it stands, when it was and what it cost. */
const COMPARED = ['model', 'answer', 'calls', 'end'] as const

function differingFields({ a, b }: Pair): readonly string[] {
  if (a === null || b === null) return []
  return COMPARED.filter((field) => !isDeepStrictEqual(toCompared(a)[field], toCompared(b)[field]))
}

function toCompared({ prompt, answer, calls, end }: TurnRecord): { readonly [field in (typeof COMPARED)[number]]: unknown } {
  return {
    model: answer?.model ?? prompt?.model ?? null,
    answer: answer?.parts ?? null,
    calls: calls.map(({ tool, arguments: given, verdict, outcome, result }) => ({ tool, given, verdict, outcome, result })),
    end: end ?? null
  }
}

function renderPair({ a, b }: Pair): readonly string[] {
  const first = a === null ? [] : renderRecord(a)
  const second = b === null ? [] : renderRecord(b)
  if (isDeepStrictEqual(first, second)) return first.map((line) => `  ${line}`)
  return [...first.map((line) => `- ${line}`), ...second.map((line) => `+ ${line}`)]
}

function renderTotals({ common }: Branches, [a, b]: readonly (Summary | undefined)[]): readonly string[] {
  const shared = common === 0 ? 'They have nothing in common.' : `They have ${plural(common, 'commit')} in common.`
  return [shared, ...(a ? [`- ${renderSummary(a)}`] : []), ...(b ? [`+ ${renderSummary(b)}`] : [])]
}

function renderSummary({ thread, status, turns, usage, cost }: Summary): string {
  const paid = cost === 'unknown' ? 'cost unknown' : `$${cost}`
  return `${thread} ${status}: ${plural(turns, 'turn')} since, ${usage.inputTokens} + ${usage.outputTokens} tokens, ${paid}`
}
