import { Command, InvalidArgumentError } from 'commander'
import type { BudgetChange } from '@holdfast/runtime'
import { parseChange } from '../budget-option.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import type { DeliveryOptions } from '../delivery.ts'
import { send } from '../delivery.ts'
import { addDriveOptions, toTerms } from '../drive-options.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { renderBudget } from '../render-budget.ts'
import { parseThreadId } from '../thread-id.ts'
import { openExisting } from '../workspace.ts'

/** `holdfast budget` */
export function budgetCommand(choose: Choose): Command {
  return new Command('budget')
    .description('Looks at the budget of a thread, and extends it.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ holdfast budget show thr_0123456789abcdef\n  $ holdfast budget extend thr_0123456789abcdef tokens=200000'
    )
    .addCommand(showCommand(choose))
    .addCommand(extendCommand(choose))
}

function showCommand(choose: Choose): Command {
  return new Command('show')
    .description('Shows what a thread may spend, what it has used and what is left.')
    .argument('<thread>', 'its id')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast budget show thr_0123456789abcdef
  $ holdfast budget show thr_0123456789abcdef --json

With --json: { "limit", "used", "reservedTokens", "left" }, or null for a thread without a budget.`
    )
    .action((thread: string) => choose((context) => show(context, parseThreadId(thread))))
}

async function show(context: CommandContext, id: string): Promise<number> {
  await using workspace = await openExisting(context)
  const status = await workspace.runtime.thread(id).budget()
  context.output.document(status)
  for (const line of status === null ? ['It has no budget.'] : renderBudget(status)) context.output.result(line)
  return EXIT.completed
}

function extendCommand(choose: Choose): Command {
  return addDriveOptions(
    new Command('extend')
      .description('Sets limits of the budget of a thread, and goes on with it.')
      .argument('<thread>', 'its id')
      .argument('<limits...>', 'tokens=N, cost=N (US dollars), time=30m, tool-calls=N, each also =none; hard or soft')
      .option('--detach', 'only deliver: whoever drives the thread takes it')
  )
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast budget extend thr_0123456789abcdef tokens=200000
  $ holdfast budget extend thr_0123456789abcdef cost=2.50 time=1h
  $ holdfast budget extend thr_0123456789abcdef cost=none

A limit is of all that the thread has used and will use, not of what comes on top; what is not named stays. A run that
waits for its budget goes on as far as the new one goes; one that has ended goes on with \`holdfast retry\`.`
    )
    .action((thread: string, limits: readonly string[], options: DeliveryOptions) =>
      choose((context) => extend(context, parseThreadId(thread), toChange(limits), options), toTerms(options))
    )
}

function toChange(limits: readonly string[]): BudgetChange {
  try {
    return parseChange(limits)
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new Failure('invalid_input', `${limits.join(' ')}: ${error.message}`)
    throw error
  }
}

function extend(context: CommandContext, id: string, change: BudgetChange, options: DeliveryOptions): Promise<number> {
  return send(id, context, { ...options, beginsNothing: true }, async (thread) => ({ ...(await thread.extendBudget(change)) }))
}
