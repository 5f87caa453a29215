// One decision is one transaction of the store, made before anything of the thread is loaded: what was said holds, whoever drives then.
import type { Cursor, Decision, DecisionReceipt, Json, JsonObject, ThreadInfo, WaitRow } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import type { TermOptions } from './drive-options.ts'
import { againOf, driveToRest, headOf } from './drive-to-rest.ts'
import { EXIT } from './exit-code.ts'
import { addDetails } from './failure.ts'
import type { FoundWaits, WaitChoice } from './find-waits.ts'
import { findWaits } from './find-waits.ts'
import type { DriveOptions } from './open-thread.ts'
import { explainMissing, openThread } from './open-thread.ts'
import type { Owner } from './owner.ts'
import { describeOwner, lifeOf } from './owner.ts'
import { tryToTake } from './ownership.ts'
import { exitCodeOfReceipt, renderReceipt } from './render-receipt.ts'
import { openExisting, openStoreOnly } from './workspace.ts'

/** How a decision is given. */
export interface DecideOptions extends DriveOptions, TermOptions {
  readonly detach?: boolean
}

/** Makes the decision about a wait; null when nothing is known of it. */
export type ToDecision = (wait: WaitRow | null) => Decision

/** Decides about waits, then drives the thread here until it rests, unless somebody else does or that is not wanted. Gives the exit code. */
export async function decideWaits(
  context: CommandContext,
  choice: WaitChoice,
  options: DecideOptions,
  toDecision: ToDecision
): Promise<number> {
  const found = await find(context, choice)
  return await context.interruption.hold(async () => {
    const decided = await decide(context, found, toDecision)
    const { receipts, threads } = decided
    for (const receipt of receipts) context.output.notice(renderReceipt(receipt))
    const [thread, ...others] = threads
    if (thread === undefined || others.length > 0 || options.detach === true) return leave(context, decided)
    return drive(context, thread, receipts, options)
  })
}

async function find(context: CommandContext, choice: WaitChoice): Promise<FoundWaits> {
  await using store = await openStoreOnly(context)
  return await findWaits(store, choice, context)
}

/** A thread that goes on with what was decided, and where its log ended before. */
interface Moved {
  readonly id: string
  readonly after: Cursor
  readonly info: ThreadInfo
}

interface Decided {
  readonly receipts: readonly DecisionReceipt[]
  /** Those that something was decided of. */
  readonly threads: readonly Moved[]
}

async function decide(context: CommandContext, { ids, rows }: FoundWaits, toDecision: ToDecision): Promise<Decided> {
  await using workspace = await openExisting(context, { delivers: true })
  const { runtime } = workspace
  const receipts: DecisionReceipt[] = []
  const threads = new Map<string, Moved>()
  for (const id of ids) {
    const row = rows.find((each) => each.id === id) ?? null
    const handle = row === null ? undefined : runtime.thread(row.thread)
    const after = handle && (await headOf(handle))
    const receipt = await runtime.decide(id, toDecision(row))
    receipts.push(receipt)
    const goesOn = receipt.state === 'accepted' || receipt.state === 'repeated'
    if (goesOn && handle !== undefined && after !== undefined && !threads.has(handle.id)) {
      threads.set(handle.id, { id: handle.id, after, info: await handle.info() })
    }
  }
  return { receipts, threads: [...threads.values()] }
}

/** Nothing is driven here: what was decided is told, and how it goes on. */
function leave(context: CommandContext, { receipts, threads }: Decided, owner?: Owner): number {
  const { output } = context
  output.document({ decisions: receipts, ...(owner === undefined ? {} : { owner: { ...owner } }) })
  output.line({ decisions: receipts })
  if (owner !== undefined) output.notice(`It is left to the thread's owner: ${describeOwner(owner)}.`)
  else
    for (const { id } of threads)
      output.progress(`Whoever drives ${id} goes on with it; to do that here: ${againOf(id, context)('resume')}`)
  return receipts.map(exitCodeOfReceipt).find((code) => code !== EXIT.completed) ?? EXIT.completed
}

async function drive(context: CommandContext, moved: Moved, receipts: readonly DecisionReceipt[], options: DecideOptions): Promise<number> {
  const { id, after, info } = moved
  const decided = { receipts, threads: [moved] }
  const about = { decisions: receipts as unknown as Json }
  const goesOn = againOf(id, context)('resume')
  // Whoever lives goes on with it: nothing need be loaded here.
  if (info.owner !== undefined && (await lifeOf(info.owner.worker)) !== 'dead') return leave(context, decided, info.owner)
  // Decided long ago, and read since.
  if (info.pending === 0 && info.row.status !== 'queued' && info.row.status !== 'running') return leave(context, decided)
  const refuse = (error: unknown): never => {
    context.output.notice('It is decided, but the thread cannot be driven here.')
    throw addDetails(explainMissing(error, goesOn), about)
  }
  context.interruption.holds({ goesOn, about })
  const opening = openThread(id, context, options)
  const opened = await context.interruption.unlessCome(opening).catch(refuse)
  if (opened === undefined) {
    void opening.then(({ workspace }) => workspace[Symbol.asyncDispose]()).catch(() => undefined)
    return leaveUnopened(context, about, goesOn)
  }
  const { workspace, thread } = opened
  await using _ = workspace
  const owner = await tryToTake(thread, context).catch(refuse)
  if (owner !== undefined) return leave(context, decided, owner)
  return await driveToRest(thread, context, workspace, { after, about })
}

/** A signal came, or the time was over, before the thread could be driven. */
function leaveUnopened({ output, interruption }: CommandContext, about: JsonObject, goesOn: string): number {
  output.document({ ...about, interrupted: String(interruption.signal.reason), resume: goesOn })
  output.notice(`It is decided, and nobody drives the thread. Go on with: ${goesOn}`)
  return interruption.tells(interruption.exitCode)
}
