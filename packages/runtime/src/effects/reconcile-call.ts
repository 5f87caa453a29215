// Keeps I5: what is not known is not said to be known; a tool that fails or is late has said nothing.
import type { Alarm } from '../contracts/clock.ts'
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { Json } from '../contracts/json.ts'
import type { Reconciled, ReconcileContext, Tool } from '../contracts/tool.ts'
import { inlineOf } from '../state/body.ts'
import { toIdempotencyKey } from '../state/plan-started.ts'
import type { Call, CallStart, State } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { readCallInput } from './call-input.ts'
import type { EffectPorts } from './ports.ts'
import { toCallError, toCallResult } from './tool-result.ts'

type ReconcileAction = Extract<Action, { do: 'reconcile' }>
type Said = Pick<FactOf<'call.reconciled'>, 'said' | 'result' | 'review' | 'error'>

/** How long a tool may look for what it did. */
const RECONCILE_TIMEOUT_MS = 30_000

/** Asks a tool what became of a start of its call. Never throws; ends in exactly one `done`. */
export function performReconcile(
  action: ReconcileAction,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  const call = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)
  const { started } = call ?? {}
  if (!call || !started) {
    done([])
    return { abort: () => {} }
  }
  const stop = new AbortController()
  let alarm: Alarm | null = null
  let isOver = false
  const end = (facts: readonly Fact[]): void => {
    if (isOver) return
    isOver = true
    alarm?.stop()
    done(facts)
  }
  const say = (said: Said): void => end([{ ...toFact(action, state, started), ...said }])
  const fail = (error: unknown): void => {
    const told = toCallError(error, ports.secrets)
    say({ said: 'failed', error: 'error' in told ? told.error : '' })
  }
  ask(action, { state, call, started }, stop.signal, ports).then(say, fail)
  alarm = ports.clock.alarm(RECONCILE_TIMEOUT_MS, () => {
    stop.abort(new Error('the time is over'))
    fail(`it said nothing within ${RECONCILE_TIMEOUT_MS} ms`)
  })
  return {
    abort: () => {
      stop.abort(new Error('nobody waits for this any more'))
      end([])
    }
  }
}

function toFact(
  { call, scope, final }: ReconcileAction,
  state: State,
  { try: count, leg }: CallStart
): Omit<FactOf<'call.reconciled'>, 'said'> {
  return { v: 1, type: 'call.reconciled', run: state.run?.id ?? '', scope, call, try: count, leg, final }
}

interface Asked {
  readonly state: State
  readonly call: Call
  readonly started: CallStart
}

async function ask(action: ReconcileAction, asked: Asked, signal: AbortSignal, ports: EffectPorts): Promise<Said> {
  const { state, call, started } = asked
  const identity = state.tools.get(call.tool)?.identity
  const tool = identity === undefined ? undefined : (ports.tool(identity, state.publication) as Tool | undefined)
  if (!tool?.reconcile) throw new Error(`The tool ${call.tool} cannot say here what it did.`)
  const { thread } = state
  const { logger, secrets } = ports
  const prepared = await ports.prepared(state.publication)
  const context: ReconcileContext = {
    ...{ thread, run: state.run?.id ?? '', call: call.id, try: started.try, leg: started.leg },
    ...toResumed(call),
    ...{ grants: ports.grantsOf(state.grants), signal, logger },
    ...{ input: await readCallInput(call, prepared), startedAt: started.stamp.at, final: action.final }
  }
  const said = toSaid(await tool.reconcile(toIdempotencyKey(thread, call.id, started.leg), context), tool, secrets)
  return said.said === 'done' && prepared.afterToolCall !== null ? { ...said, review: true } : said
}

/** What of a call's suspension its leg is told. */
export function toResumed({ resumed, started }: Call): { readonly resumed?: { readonly state: Json; readonly answer: Json } } {
  if (resumed === null || resumed.leg !== started?.leg) return {}
  return { resumed: { state: inlineOf(resumed.state), answer: resumed.answer } }
}

function toSaid(given: Reconciled, tool: Tool, secrets: EffectPorts['secrets']): Said {
  const { state, result } = (given ?? {}) as { readonly state?: unknown; readonly result?: unknown }
  if (state === 'done') return { said: 'done', result: { inline: toCallResult(result, secrets, tool.maxResultLength) } }
  if (state === 'not_done' || state === 'unknown') return { said: state }
  throw new Error('expected { state: "done", result }, { state: "not_done" } or { state: "unknown" }')
}
