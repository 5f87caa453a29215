import type { JsonObject, ThreadHandle } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { againOf, driveToRest, headOf } from './drive-to-rest.ts'
import { EXIT } from './exit-code.ts'
import type { OpenOptions } from './open-thread.ts'
import { explainMissing, openThread } from './open-thread.ts'
import type { Owner } from './owner.ts'
import { describeOwner } from './owner.ts'
import { tryToTake } from './ownership.ts'
import { tellRedacted } from './redaction-notice.ts'
import { openExisting } from './workspace.ts'

/** How something is sent to a thread. */
export interface DeliveryOptions extends OpenOptions {
  readonly detach?: boolean
  readonly jsonl?: boolean
}

/** What became of what was delivered. */
export type Delivered = JsonObject & { readonly redacted?: readonly string[] }

/** Puts something into a thread's inbox and says what became of it. */
export type Deliver = (thread: ThreadHandle) => Promise<Delivered>

/** Delivers, and drives the thread here until it rests, unless somebody else does or that is not wanted. Gives the exit code. */
export function send(id: string, context: CommandContext, options: DeliveryOptions, deliver: Deliver): Promise<number> {
  return options.detach === true ? deliverOnly(id, context, deliver) : deliverAndDrive(id, context, options, deliver)
}

async function deliverOnly(id: string, context: CommandContext, deliver: Deliver): Promise<number> {
  await using workspace = await openExisting(context, { delivers: true })
  const receipt = await deliver(workspace.runtime.thread(id))
  tellRedacted(context.output, receipt.redacted)
  context.output.document({ thread: id, ...receipt })
  context.output.progress(`Delivered. Whoever drives ${id} takes it; to do that here: ${againOf(id, context)('resume')}`)
  return EXIT.completed
}

async function deliverAndDrive(id: string, context: CommandContext, options: DeliveryOptions, deliver: Deliver): Promise<number> {
  const { workspace, thread } = await openThread(id, context, options)
  await using _ = workspace
  return await context.interruption.hold(async () => {
    const after = await headOf(thread)
    const receipt = await deliver(thread)
    tellRedacted(context.output, receipt.redacted)
    context.output.progress(`delivered to ${id}`)
    const owner = await take(thread, context)
    if (owner === undefined) return driveToRest(thread, context, workspace, { after })
    context.output.document({ thread: id, ...receipt, owner: { ...owner } })
    context.output.notice(`It is left to the thread's owner: ${describeOwner(owner)}.`)
    return EXIT.completed
  })
}

async function take(thread: ThreadHandle, context: CommandContext): Promise<Owner | undefined> {
  try {
    return await tryToTake(thread, context)
  } catch (error) {
    context.output.notice('It is delivered, but the thread cannot be driven here.')
    throw explainMissing(error, againOf(thread.id, context)('resume'))
  }
}
