// Keeps I5, I6: runs exactly the gated arguments, once per start; settles once; late output is dropped.
import type { Alarm } from '../contracts/clock.ts'
import type { CallOutcome, Fact } from '../contracts/fact.ts'
import type { Action, Cancelled, Running } from '../contracts/heart.ts'
import type { Scope } from '../contracts/ids.ts'
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
import type { SuspendedFact } from './suspended-call.ts'
import { toSuspended } from './suspended-call.ts'
import { toCallError, toCallResult } from './tool-result.ts'

type RunAction = Extract<Action, { do: 'run' }>

/** Runs one call. Never throws; ends in exactly one `done`. */
export function performRun(action: RunAction, state: State, done: (facts: readonly Fact[]) => void, ports: EffectPorts): Running {
  const call = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)
  const run = state.run?.id ?? ''
  const settle: RunningPorts['settle'] = (outcome, result, { review = false, kept = NONE } = {}) => {
    const settled: Fact = { v: 1, type: 'call.settled', run, scope: action.scope, call: action.call, outcome, result: { inline: result } }
    const fact: Fact = review ? { ...settled, review } : settled
    done(kept.length === 0 ? [fact] : [...kept, fact])
  }
  const suspend: RunningPorts['suspend'] = (fact, kept) =>
    done([...kept, { v: 1, type: 'call.suspended', run, scope: action.scope, call: action.call, ...fact }])
  if (!call?.started) return atOnce(() => settle('error', { error: 'The call is not known any more.' }))
  if (action.cancelled) return atOnce(() => settle('cancelled', NOT_BEGUN))
  const identity = state.tools.get(call.tool)?.identity
  const tool = identity === undefined ? undefined : ports.tool(identity, state.publication)
  if (!tool) return atOnce(() => settle('error', { error: `The tool ${call.tool} is not available here.` }))
  if (isReplaced(tool, call, state)) {
    const isFirst = call.started.try === 1
    return atOnce(() => settle(isFirst ? 'error' : 'unknown', { error: isFirst ? REPLACED : REPLACED_SINCE }))
  }
  return new RunningCall(tool, call, state, run, { settle, suspend, drop: () => done([]), scope: action.scope, ports }).start()
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

function atOnce(settle: () => void): Running {
  settle()
  return { abort: () => {} }
}

interface RunningPorts {
  /** With `review`, hooks look at the result before the model does. `kept`: what its plugin keeps from now on. */
  settle(outcome: CallOutcome, result: CallResult, more?: { readonly review?: boolean; readonly kept?: readonly Fact[] }): void
  suspend(fact: SuspendedFact, kept: readonly Fact[]): void
  drop(): void
  readonly scope: Scope
  readonly ports: EffectPorts
}

class RunningCall implements Running {
  readonly #tool: Tool
  readonly #call: Call
  readonly #ports: RunningPorts
  readonly #context: ToolContext
  readonly #deadlineMs: number
  readonly #publication: string
  readonly #stop = new AbortController()
  readonly #alarms: Alarm[] = []
  /** Of a tool of a plugin. */
  readonly #kept: CallState | null
  #isOver = false
  #aborting = false
  /** Whether hooks look at what the tool gives. */
  #review = false

  constructor(tool: Tool, call: Call, state: State, run: string, ports: RunningPorts) {
    this.#tool = tool
    this.#call = call
    this.#ports = ports
    this.#publication = state.publication
    this.#deadlineMs = call.started?.deadlineMs ?? 0
    const { clock, logger } = ports.ports
    const { thread } = state
    this.#kept = openCallState(tool, state, { run, scope: ports.scope, call: call.id, secrets: ports.ports.secrets })
    this.#context = {
      thread,
      run,
      call: call.id,
      idempotencyKey: toIdempotencyKey(thread, call.id, call.started?.leg ?? 1),
      try: call.started?.try ?? 1,
      leg: call.started?.leg ?? 1,
      ...toResumed(call),
      grants: ports.ports.grantsOf(state.grants),
      state: this.#kept?.state ?? NO_STATE,
      signal: this.#stop.signal,
      deadline: clock.now() + this.#deadlineMs,
      progress: (message) => {
        if (!this.#isOver)
          ports.ports.emit({
            type: 'tool.progress',
            thread,
            attempt: call.started?.stamp.attempt ?? 0,
            call: call.id,
            text: ports.ports.secrets.redact(String(message).toWellFormed())
          })
      },
      logger
    }
  }

  start(): this {
    void this.#execute()
    this.#after(this.#deadlineMs, () => {
      this.#stop.abort(new Error('the deadline has passed'))
      const text = `The tool did not end within ${this.#deadlineMs} ms and was stopped. Its effect is not known: it may have happened.`
      this.#end(() => this.#ports.settle('timeout', { error: text }))
    })
    return this
  }

  async #execute(): Promise<void> {
    try {
      const prepared = await this.#ports.ports.prepared(this.#publication)
      const given = readCallInput(this.#call, prepared)
      const input = isPromise(given) ? await given : given
      this.#review = prepared.afterToolCall !== null
      // Whoever stopped it meanwhile must not see it begin.
      if (this.#stop.signal.aborted) return this.#end(() => this.#ports.settle('cancelled', NOT_BEGUN))
      const value = await this.#tool.execute(input as never, this.#context)
      if (isSuspension(value)) return await this.#suspend(value)
      const result = toCallResult(value, this.#ports.ports.secrets, this.#tool.maxResultLength)
      this.#end(() => {
        if ('error' in result) this.#ports.settle('error', result, { review: this.#review })
        else this.#ports.settle('ok', result, { review: this.#review, kept: this.#kept?.keep() ?? NONE })
      })
    } catch (error) {
      const isCancelled = this.#aborting && this.#stop.signal.aborted
      const result = isCancelled ? this.#cutShort() : toCallError(error, this.#ports.ports.secrets)
      this.#end(() =>
        isCancelled ? this.#ports.settle('cancelled', result) : this.#ports.settle('error', result, { review: this.#review })
      )
    }
  }

  /** The leg is over, and not the call. A suspension that cannot be is an error, as if the tool had thrown it. */
  async #suspend(suspension: Suspension): Promise<void> {
    const suspended = await toSuspended(suspension, this.#call, this.#context, this.#ports.ports.secrets)
    this.#end(() => this.#ports.suspend(suspended, this.#kept?.keep() ?? NONE))
  }

  abort(reason: 'unwanted' | 'drain' | 'lost', cancelled?: Cancelled): void {
    if (this.#isOver || this.#aborting) return
    this.#aborting = true
    if (reason === 'drain') {
      this.#after(this.#ports.ports.toolGraceMs(), () => {
        this.#end(() => this.#ports.drop())
        this.#stop.abort(new Error('this worker stops'))
      })
      return
    }
    this.#stop.abort(new Error(reason === 'lost' ? 'another worker owns the thread' : 'cancelled'))
    if (reason === 'lost') return this.#end(() => this.#ports.drop())
    this.#after(cancelled?.graceMs ?? CANCEL_GRACE_MS, () => this.#end(() => this.#ports.settle('cancelled', this.#cutShort())))
  }

  #cutShort(): CallResult {
    return { error: `cancelled while it ran${toEffectNote(this.#call.started?.effect ?? 'once')}` }
  }

  #after(durationMs: number, act: () => void): void {
    this.#alarms.push(this.#ports.ports.clock.alarm(durationMs, act))
  }

  #end(say: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    say()
    this.#kept?.drop()
    for (const alarm of this.#alarms) alarm.stop()
  }
}

const NONE: readonly Fact[] = []
const NOT_BEGUN: CallResult = { error: 'cancelled before it was run' }
