// Keeps I5, I6: runs exactly the gated arguments, once per start; settles once; late output is dropped.
import type { Alarm } from '../contracts/clock.ts'
import type { CallOutcome, Fact, FactOf } from '../contracts/fact.ts'
import type { Action, Cancelled, Running } from '../contracts/heart.ts'
import type { CallId, RunId, Scope } from '../contracts/ids.ts'
import type { CallResult } from '../contracts/message.ts'
import type { Suspension } from '../contracts/suspension.ts'
import { isSuspension } from '../contracts/suspension.ts'
import type { Tool, ToolContext } from '../contracts/tool.ts'
import { versionOf } from '../manifest/tool-registry.ts'
import { inlineOf } from '../state/body.ts'
import { toCallDigest } from '../state/call-digest.ts'
import { toIdempotencyKey } from '../state/plan-started.ts'
import type { Call, State } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { toEffectNote } from '../state/settle.ts'
import { CANCEL_GRACE_MS } from '../state/take.ts'
import { isPromise } from '../util/promise.ts'
import { readCallInput } from './call-input.ts'
import type { CallState } from './call-state.ts'
import { openCallState } from './call-state.ts'
import { NO_STATE } from './plugin-state.ts'
import type { EffectPorts } from './ports.ts'
import { toResumed } from './reconcile-call.ts'
import { toSuspended } from './suspended-call.ts'
import { toCallError, toCallResult } from './tool-result.ts'

type RunAction = Extract<Action, { do: 'run' }>

/** Runs one call. Never throws; ends in exactly one `done`. */
export function performRun(action: RunAction, state: State, drive: CallDrive, ports: EffectPorts): Running {
  const call = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)
  const place: CallPlace = { run: state.run?.id ?? '', scope: action.scope, call: action.call }
  const atOnce = (outcome: CallOutcome, result: CallResult): Running => {
    drive.done([toSettled(place, outcome, result)])
    return { abort: () => {} }
  }
  if (!call?.started) return atOnce('error', { error: 'The call is not known any more.' })
  if (action.cancelled) return atOnce('cancelled', NOT_BEGUN)
  const identity = state.tools.get(call.tool)?.identity
  const tool = identity === undefined ? undefined : ports.tool(identity, state.publication)
  if (!tool) return atOnce('error', { error: `The tool ${call.tool} is not available here.` })
  if (isReplaced(tool, call, state)) {
    const isFirst = call.started.try === 1
    return atOnce(isFirst ? 'error' : 'unknown', { error: isFirst ? REPLACED : REPLACED_SINCE })
  }
  return new RunningCall(tool, call, state, { place, ports, drive }).start()
}

/** Which call of which run it is, as its facts say it. */
interface CallPlace {
  readonly run: RunId
  readonly scope: Scope
  readonly call: CallId
}

function toSettled({ run, scope, call }: CallPlace, outcome: CallOutcome, result: CallResult): FactOf<'call.settled'> {
  return { v: 1, type: 'call.settled', run, scope, call, outcome, result: { inline: result } }
}

/** Whether what is here is another tool than the one that somebody approved: the gate has looked at it in another process (I6). */
function isReplaced(tool: Tool, call: Call, { thread, tools }: State): boolean {
  const { started, asks } = call
  const descriptor = tools.get(call.tool)
  if (asks.length === 0 || !descriptor || (started?.leg ?? 1) > 1) return false
  const args = call.arguments ? inlineOf(call.arguments) : null
  const { identity } = descriptor
  return (
    toCallDigest(thread, { identity, version: versionOf(tool) }, { tool: call.tool, arguments: args, input: call.input }) !== call.digest
  )
}

const REPLACED = 'Not run: the tool was replaced by another version after this call was approved. Call it again if it is still needed.'
const REPLACED_SINCE =
  'The outcome of this call is not known: the process that ran it stopped, and the tool was replaced by another version since. It was not run again. Check before you repeat it.'

/** Of the drive that runs it. */
interface CallDrive {
  done(facts: readonly Fact[]): void
  /** Whether its tool may still begin. */
  mayBegin(): boolean
}

interface RunningPorts {
  readonly place: CallPlace
  readonly ports: EffectPorts
  readonly drive: CallDrive
}

class RunningCall implements Running {
  readonly #tool: Tool
  readonly #call: Call
  readonly #place: CallPlace
  readonly #ports: EffectPorts
  readonly #drive: CallDrive
  readonly #context: ToolContext
  readonly #deadlineMs: number
  readonly #publication: string
  readonly #stop = new AbortController()
  /** Of a tool of a plugin. */
  readonly #kept: CallState | null
  #deadline: Alarm | null = null
  #grace: Alarm | null = null
  #isOver = false
  #aborting = false
  /** Whether its signal has aborted: to ask a signal costs more than most of what is done here. */
  #isStopped = false
  /** Whether hooks look at what the tool gives. */
  #review = false

  constructor(tool: Tool, call: Call, state: State, { place, ports, drive }: RunningPorts) {
    const { clock, logger, secrets } = ports
    const { thread } = state
    const { started } = call
    this.#tool = tool
    this.#call = call
    this.#place = place
    this.#ports = ports
    this.#drive = drive
    this.#publication = state.publication
    this.#deadlineMs = started?.deadlineMs ?? 0
    this.#kept = openCallState(tool, state, { ...place, secrets })
    this.#context = {
      thread,
      run: place.run,
      call: call.id,
      idempotencyKey: toIdempotencyKey(thread, call.id, started?.leg ?? 1),
      try: started?.try ?? 1,
      leg: started?.leg ?? 1,
      grants: ports.grantsOf(state.grants),
      state: this.#kept?.state ?? NO_STATE,
      signal: this.#stop.signal,
      deadline: clock.now() + this.#deadlineMs,
      progress: (message) => {
        if (this.#isOver) return
        const text = secrets.redact(String(message).toWellFormed())
        ports.emit({ type: 'tool.progress', thread, attempt: started?.stamp.attempt ?? 0, call: call.id, text })
      },
      logger,
      ...toResumed(call)
    }
  }

  start(): this {
    void this.#execute()
    this.#deadline = this.#ports.clock.alarm(this.#deadlineMs, () => {
      this.#abort('the deadline has passed')
      const text = `The tool did not end within ${this.#deadlineMs} ms and was stopped. Its effect is not known: it may have happened.`
      this.#settle('timeout', { error: text })
    })
    return this
  }

  async #execute(): Promise<void> {
    const { secrets } = this.#ports
    try {
      const prepared = await this.#ports.prepared(this.#publication)
      const given = readCallInput(this.#call, prepared)
      const input = isPromise(given) ? await given : given
      this.#review = prepared.afterToolCall !== null
      // A tool may end its process: that it has begun is shown before.
      if (this.#ports.isWatched(this.#context.thread)) await turnOfLoop()
      // Whoever stopped it meanwhile must not see it begin.
      if (this.#isStopped) return this.#settle('cancelled', NOT_BEGUN)
      // The process may have stood still since the drive looked: it looks again, and begins this when it may.
      if (!this.#drive.mayBegin()) return this.#end(NONE)
      const value = await this.#tool.execute(input as never, this.#context)
      if (isSuspension(value)) return await this.#suspend(value)
      const result = toCallResult(value, secrets, this.#tool.maxResultLength)
      this.#settle('error' in result ? 'error' : 'ok', result)
    } catch (error) {
      if (this.#aborting && this.#isStopped) this.#settle('cancelled', this.#cutShort())
      else this.#settle('error', toCallError(error, secrets))
    }
  }

  /** The leg is over, and not the call. A suspension that cannot be is an error, as if the tool had thrown it. */
  async #suspend(suspension: Suspension): Promise<void> {
    const suspended = await toSuspended(suspension, this.#call, this.#context, this.#ports.secrets)
    if (this.#isOver) return
    this.#end([...(this.#kept?.keep() ?? NONE), { v: 1, type: 'call.suspended', ...this.#place, ...suspended }])
  }

  abort(reason: 'unwanted' | 'drain' | 'lost', cancelled?: Cancelled): void {
    if (this.#isOver || this.#aborting) return
    this.#aborting = true
    const { clock } = this.#ports
    if (reason === 'drain') {
      this.#grace = clock.alarm(this.#ports.toolGraceMs(), () => {
        this.#end(NONE)
        this.#abort('this worker stops')
      })
      return
    }
    this.#abort(reason === 'lost' ? 'another worker owns the thread' : 'cancelled')
    if (reason === 'lost') return this.#end(NONE)
    this.#grace = clock.alarm(cancelled?.graceMs ?? CANCEL_GRACE_MS, () => this.#settle('cancelled', this.#cutShort()))
  }

  #abort(why: string): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#stop.abort(new Error(why))
  }

  #cutShort(): CallResult {
    return { error: `cancelled while it ran${toEffectNote(this.#call.started?.effect ?? 'once')}` }
  }

  /** What its plugin keeps from now on stands before a result; hooks look at what the tool gave, and at nothing that was said for it. */
  #settle(outcome: CallOutcome, result: CallResult): void {
    if (this.#isOver) return
    const settled = toSettled(this.#place, outcome, result)
    const fact = this.#review && (outcome === 'ok' || outcome === 'error') ? { ...settled, review: true as const } : settled
    const kept = outcome === 'ok' && this.#kept !== null ? this.#kept.keep() : NONE
    this.#end(kept.length === 0 ? [fact] : [...kept, fact])
  }

  #end(facts: readonly Fact[]): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#drive.done(facts)
    this.#kept?.drop()
    this.#deadline?.stop()
    this.#grace?.stop()
  }
}

const NONE: readonly Fact[] = []
const NOT_BEGUN: CallResult = { error: 'cancelled before it was run' }

/** What watches has been told of everything by then: no more than promises lie between. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
