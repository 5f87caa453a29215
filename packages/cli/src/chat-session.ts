// One conversation over one thread. Messages go into its inbox whenever they come; one drive at a time shows what follows, and begins
// again while anything of the log has not been shown.
import type { CommittedEvent, Cursor, HoldfastEvent, MessageReceipt, Part, ThreadHandle, ThreadRow } from '@holdfast/runtime'
import type { Approver } from './approver.ts'
import type { CommandContext } from './command-context.ts'
import { againOf, driveToRest, headOf } from './drive-to-rest.ts'
import { EXIT } from './exit-code.ts'
import { Failure } from './failure.ts'
import type { Owner } from './owner.ts'
import { describeOwner, lifeOf } from './owner.ts'
import { takeThread, tryToTake } from './ownership.ts'
import { tellRedacted } from './redaction-notice.ts'
import { textOfBody } from './render-event.ts'
import { toVisibleLine } from './visible-text.ts'
import type { Workspace } from './workspace.ts'

/** What a conversation is made of. */
export interface ChatOptions {
  readonly workspace: Workspace
  /** The thread that is gone on with. */
  readonly thread?: ThreadHandle
  /** Makes the thread, with its first message. */
  start(input: readonly Part[]): Promise<ThreadHandle & Pick<MessageReceipt, 'redacted'>>
  /** The command line that goes on with a thread. */
  again(thread: string): string
  /** Told when the agent begins to work, and when it rests. */
  onBusy(isBusy: boolean): void
  /** Decides about what is held while the agent works. */
  openApprover(): Promise<Approver>
}

/** What is not told in a conversation: who talks knows it, or sees it in the answer. */
const OMITTED: ReadonlySet<HoldfastEvent['type']> = new Set([
  'attempt.claimed',
  'run.started',
  'message.received',
  'turn.started',
  'run.ended'
])
const PAGE_BYTES = 64 * 1024

/** A conversation. */
export class ChatSession {
  readonly #context: CommandContext
  readonly #options: ChatOptions
  #thread: ThreadHandle | undefined
  /** The last event that was shown. */
  #shown: Cursor | undefined
  #delivered = 0
  /** Messages that came while the agent worked, until they are read. */
  readonly #queued = new Set<string>()
  #driving: Promise<void> | undefined
  readonly #failed = Promise.withResolvers<never>()
  #exitCode: number = EXIT.completed

  constructor(context: CommandContext, options: ChatOptions) {
    this.#context = context
    this.#options = options
    this.#thread = options.thread
    // Told to whoever waits; nobody may.
    this.#failed.promise.catch(() => undefined)
  }

  /** The thread, once there is one. */
  get thread(): ThreadHandle | undefined {
    return this.#thread
  }

  /** What became of the last run. */
  get exitCode(): number {
    return this.#exitCode
  }

  /** Goes on with what the thread has left open: drives it, or shows what another process does. Throws `thread_busy` when nobody knows whether that lives. */
  async open(): Promise<void> {
    if (this.#thread === undefined) return
    this.#shown = await headOf(this.#thread)
    const { row, pending } = await this.#thread.info()
    if (!isOpen(row) && pending === 0) return
    const owner = await tryToTake(this.#thread, this.#context)
    if (owner !== undefined && (await lifeOf(owner.worker)) === 'alive') this.#tellOwner(owner)
    else if (owner !== undefined) await takeThread(this.#thread, this.#context)
    this.#drive(this.#thread)
  }

  /** Sends a message. It is read at the next turn of a run that goes on, or at once; else it begins the next run. */
  async say(parts: readonly Part[], { interrupt }: { readonly interrupt: boolean }): Promise<void> {
    if (this.#thread === undefined) {
      const started = await this.#options.start(parts)
      this.#thread = started
      this.#context.output.progress(`thread ${started.id}`)
      tellRedacted(this.#context.output, started.redacted)
    } else {
      const id = `msg_${crypto.randomUUID()}`
      const isQueued = this.#driving !== undefined
      // Before it is sent: whoever takes it may be quicker than we are told.
      if (isQueued) this.#queued.add(id)
      tellRedacted(this.#context.output, (await this.#thread.message(parts, { id, interrupt })).redacted)
      if (isQueued) this.#tell(interrupt ? 'interrupting' : 'queued for the next turn')
      else await this.#take(this.#thread)
    }
    this.#delivered += 1
    this.#drive(this.#thread)
  }

  /** Ends the run that goes on. */
  async cancel(reason: string | undefined): Promise<void> {
    if (this.#thread === undefined || this.#driving === undefined) return this.#context.output.notice('There is nothing to cancel.')
    await this.#thread.cancel(reason === undefined ? {} : { reason })
  }

  /** Rejects with what makes driving impossible. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  /** Resolves when the agent rests. */
  async rest(): Promise<void> {
    await this.#driving
  }

  async #take(thread: ThreadHandle): Promise<void> {
    const owner = await tryToTake(thread, this.#context)
    if (owner !== undefined) this.#tellOwner(owner)
  }

  #tellOwner(owner: Owner): void {
    this.#context.output.notice(`${describeOwner(owner)}: it answers, and its answers are shown here when they are whole.`)
  }

  #drive(thread: ThreadHandle): void {
    if (this.#driving !== undefined) return
    this.#options.onBusy(true)
    this.#driving = this.#driveWhileUnseen(thread)
      .catch((error: unknown) => this.#failed.reject(error))
      .finally(() => {
        this.#driving = undefined
        this.#options.onBusy(false)
      })
  }

  async #driveWhileUnseen(thread: ThreadHandle): Promise<void> {
    const { interruption } = this.#context
    const { workspace, again } = this.#options
    const approver = await this.#options.openApprover()
    for (let follows = false; ; ) {
      const code: number | undefined = await driveToRest(thread, this.#context, workspace, {
        follows,
        ...(this.#shown === undefined ? {} : { after: this.#shown }),
        again: (command) => (command === 'resume' ? again(thread.id) : againOf(thread.id, this.#context)(command)),
        omit: OMITTED,
        approver,
        onEvent: (event) => {
          if (!('cursor' in event)) return
          this.#shown = event.cursor
          this.#tellRead(event)
        }
      }).catch((error: unknown) => this.#tellTaken(error))
      // The conversation goes on, whatever was told of one answer.
      interruption.holds({ goesOn: again(thread.id) })
      follows = code === undefined
      if (code === undefined) continue
      this.#exitCode = code
      const delivered = this.#delivered
      if (interruption.signal.aborted) return
      // What was delivered while this was looked at may not be seen by it.
      const { row } = await thread.info()
      if (!isOpen(row) && !(await this.#hasUnseen(thread)) && delivered === this.#delivered) return
    }
  }

  /** Whoever talks goes on talking, with whoever answers. */
  #tellTaken(error: unknown): undefined {
    if (!(error instanceof Failure) || error.code !== 'thread_taken') throw error
    this.#context.output.notice(`${toVisibleLine(error.message, 500)}. What it answers is shown here when it is whole.`)
  }

  #tellRead(event: CommittedEvent): void {
    const { cause } = event.data
    if (cause === undefined || !this.#queued.delete(cause) || event.type !== 'message.received') return
    this.#tell(`read: ${toVisibleLine(textOfBody(event.data.parts))}`)
  }

  #tell(line: string): void {
    const { output } = this.#context
    output.progress(output.paint(line, 'dim'))
  }

  async #hasUnseen(thread: ThreadHandle): Promise<boolean> {
    const { sequence, index } = this.#shown ?? { sequence: 1, index: -1 }
    const page = await thread.log(sequence, PAGE_BYTES)
    return page.some((commit) => (commit.sequence > sequence ? commit.facts.length > 0 : commit.facts.length - 1 > index))
  }
}

function isOpen({ status }: ThreadRow): boolean {
  return status === 'queued' || status === 'running'
}
