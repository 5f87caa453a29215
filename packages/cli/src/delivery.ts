import type { ItemReceipt, JsonObject, RunResult, ThreadHandle } from '@holdfast/runtime'
import type { ApprovalOption } from './approve-option.ts'
import { openApprover } from './approve-option.ts'
import type { CommandContext } from './command-context.ts'
import type { TermOptions } from './drive-options.ts'
import { againOf, driveToRest, headOf } from './drive-to-rest.ts'
import { EXIT } from './exit-code.ts'
import { addDetails } from './failure.ts'
import type { OpenOptions } from './open-thread.ts'
import { explainMissing, openThread } from './open-thread.ts'
import type { Owner } from './owner.ts'
import { describeOwner } from './owner.ts'
import { tryToTake } from './ownership.ts'
import { tellRedacted } from './redaction-notice.ts'
import { openExisting } from './workspace.ts'

/** How something is sent to a thread. */
export interface DeliveryOptions extends OpenOptions, ApprovalOption, TermOptions {
  readonly detach?: boolean
  /** Wait until what is left to others is taken or returned. */
  readonly receipt?: boolean
  /** It begins no run: of one that was over before, only how to go on is told. */
  readonly beginsNothing?: boolean
}

/** What became of what was delivered. */
export type Delivered = JsonObject & { readonly item: string; readonly redacted?: readonly string[] }

/** Puts something into a thread's inbox and says what became of it. */
export type Deliver = (thread: ThreadHandle) => Promise<Delivered>

/** Delivers, and drives the thread here until it rests, unless somebody else does or that is not wanted. Gives the exit code. */
export function send(id: string, context: CommandContext, options: DeliveryOptions, deliver: Deliver): Promise<number> {
  return options.detach === true ? deliverOnly(id, context, options, deliver) : deliverAndDrive(id, context, options, deliver)
}

async function deliverOnly(id: string, context: CommandContext, options: DeliveryOptions, deliver: Deliver): Promise<number> {
  await using workspace = await openExisting(context, { delivers: true })
  const thread = workspace.runtime.thread(id)
  return await context.interruption.hold(async () => {
    const delivered = await deliver(thread)
    tellRedacted(context.output, delivered.redacted)
    context.output.progress(`Delivered. Whoever drives ${id} takes it; to do that here: ${againOf(id, context)('resume')}`)
    return await leave(thread, context, options, delivered)
  })
}

async function deliverAndDrive(id: string, context: CommandContext, options: DeliveryOptions, deliver: Deliver): Promise<number> {
  const { workspace, thread } = await openThread(id, context, options)
  await using _ = workspace
  return await context.interruption.hold(async () => {
    const after = await headOf(thread)
    const { row } = await thread.info()
    const delivered = await deliver(thread)
    tellRedacted(context.output, delivered.redacted)
    context.output.progress(`delivered to ${id}`)
    context.interruption.holds({ goesOn: againOf(id, context)('resume'), about: delivered })
    const owner = await take(thread, context, delivered)
    if (owner === undefined) {
      const approver = await openApprover(context, workspace, options)
      const isOver = options.beginsNothing === true && row.endedIn !== undefined && row.run !== undefined
      const over = isOver ? { over: { run: row.run, tell: (result: RunResult) => tellOver(result, delivered, context) } } : {}
      return driveToRest(thread, context, workspace, { after, approver, ...over })
    }
    context.output.notice(`It is left to the thread's owner: ${describeOwner(owner)}.`)
    return await leave(thread, context, options, { ...delivered, owner: { ...owner } })
  })
}

/** What was delivered has been taken, and the last run stays as it has ended. */
function tellOver({ thread, run, status }: RunResult, delivered: Delivered, context: CommandContext): number {
  const { output } = context
  output.document({ thread, ...delivered, state: 'taken', run, status })
  const again = againOf(thread, context)
  const next =
    status === 'failed' || status === 'stopped' ? `Go on with: ${again('retry')}` : `A message begins the next: ${again('message')} "..."`
  output.notice(`It is taken. The last run is over (${status}). ${next}`)
  return EXIT.completed
}

/** Tells what is known of something that others take; with `--receipt`, what became of it. */
async function leave(thread: ThreadHandle, context: CommandContext, options: DeliveryOptions, delivered: Delivered): Promise<number> {
  const { output, interruption } = context
  if (options.receipt !== true) {
    output.document({ thread: thread.id, ...delivered })
    return EXIT.completed
  }
  const receipt = await thread.receipt(delivered.item, { wait: true, signal: interruption.signal }).catch((error: unknown) => {
    if (!interruption.isCause(error)) throw error
    return undefined
  })
  if (receipt === undefined) {
    output.document({ thread: thread.id, ...delivered, interrupted: String(interruption.signal.reason) })
    output.notice('It is delivered, and was not read by now.')
    return interruption.exitCode
  }
  output.document({ thread: thread.id, ...delivered, ...receipt })
  output.notice(describeReceipt(receipt))
  return receipt.state === 'returned' ? EXIT.cancelled : EXIT.completed
}

function describeReceipt(receipt: ItemReceipt): string {
  switch (receipt.state) {
    case 'queued':
      return 'It is still queued.'
    case 'taken':
      return `It is read${receipt.run === undefined ? '' : ` by ${receipt.run}`}.`
    case 'returned':
      return `It came back unread: ${receipt.why}.`
    case 'discarded':
      return `It had nothing to act on: ${receipt.why}.`
  }
}

async function take(thread: ThreadHandle, context: CommandContext, delivered: Delivered): Promise<Owner | undefined> {
  try {
    return await tryToTake(thread, context)
  } catch (error) {
    context.output.notice('It is delivered, but the thread cannot be driven here.')
    throw addDetails(explainMissing(error, againOf(thread.id, context)('resume')), delivered)
  }
}
