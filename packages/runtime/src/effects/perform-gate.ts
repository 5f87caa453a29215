// Keeps I9: a gate that throws or takes too long blocks the call, as a fault and not as a person's refusal.
import type { Alarm } from '../contracts/clock.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { HookAsk } from '../contracts/hook-fact.ts'
import type { Ms } from '../contracts/ids.ts'
import { inlineOf } from '../state/body.ts'
import type { Call, State } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { timeOf } from './call-hook.ts'
import type { GateBounds, GateRequest, HookedAsks } from './gate.ts'
import { gateCall } from './gate.ts'
import { gateHooked } from './gate-hooks.ts'
import type { EffectPorts } from './ports.ts'

/** A tool's own schema gets this long to judge arguments; then the call is blocked, as a fault (I9). */
const GATE_TIMEOUT_MS = 10_000

/** Judges one call outside of the answer that it came in: what must be awaited, and again after an approval. Ends in exactly one `done`. */
export function performGate(
  action: Extract<Action, { do: 'gate' }>,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  const calls = conversationOf(state, action.scope).turn?.calls ?? []
  const position = calls.findIndex((call) => call.id === action.call)
  const call = calls[position]
  const stop = new AbortController()
  let isOver = false
  let alarm: Alarm | null = null
  const end = (facts: readonly Fact[]): void => {
    if (isOver) return
    isOver = true
    alarm?.stop()
    done(facts)
    stop.abort(new Error('the gate is over'))
  }
  if (!call) {
    end([])
    return { abort: () => {} }
  }
  const request = toRequest(state, action.scope, call, position)
  const { plugins } = state
  const bounds = boundsOf(state, ports, { asks: conversationOf(state, action.scope).turn?.asks ?? NO_ASKS })
  const fault = (message: string): Fact => ({
    v: 1,
    type: 'call.gated',
    run: request.run,
    scope: action.scope,
    call: call.id,
    verdict: 'block',
    by: 'fault',
    asks: [],
    arguments: { inline: null },
    digest: '',
    result: { error: `The call could not be checked and was not run: ${message}` }
  })
  const limit = (durationMs: Ms): void => {
    if (isOver) return
    alarm?.stop()
    alarm = ports.clock.alarm(durationMs, () => end([fault(`the check did not end within ${durationMs} ms`)]))
  }
  limit(GATE_TIMEOUT_MS)
  const judge = async (): Promise<readonly Fact[]> => {
    const prepared = await ports.prepared(state.publication)
    const layers = prepared.beforeToolCall
    if (layers === null) return [await gateCall(request, prepared, bounds)]
    // Those of the host may look twice.
    limit(GATE_TIMEOUT_MS + timeOf([...layers.host, ...layers.definition, ...layers.host].map(({ hook }) => hook)))
    return gateHooked(request, prepared, bounds, { layers, ports: { ...ports, signal: stop.signal, plugins } })
  }
  judge().then(end, (error: unknown) => end([fault(ports.secrets.redact(error instanceof Error ? error.message : String(error)))]))
  return { abort: (reason) => end(reason === 'unwanted' ? [fault('cancelled')] : []) }
}

/** The arguments that stand now: a decision's own, those that were shown, or at first the model's. */
function toRequest(state: State, scope: string, call: Call, position: number): GateRequest {
  const { id, tool, decision, edited, answered, digest, waits: rounds, needed } = call
  const common = { thread: state.thread, run: state.run?.id ?? '', scope, call: id, tool, position }
  if (decision !== 'approved') return { ...common, input: call.input }
  const shown = call.arguments ? inlineOf(call.arguments) : null
  return {
    ...common,
    input: JSON.stringify(edited ?? shown ?? {}),
    again: { answered, digest: edited === null ? digest : null, rounds, needed }
  }
}

/** What holds for every call of an answer; `last`: no tool may be called in its turn, `asks`: of hooks that have looked at it. Throws `grants_unreadable`. */
export function boundsOf(
  state: State,
  ports: EffectPorts,
  { last = false, asks = NO_ASKS }: { readonly last?: boolean; readonly asks?: readonly HookAsk[] } = {}
): GateBounds {
  const { limits, remembered } = state
  return {
    maxCalls: limits.maxToolCallsPerIteration,
    last,
    secrets: ports.secrets,
    grants: ports.grantsOf(state.grants),
    remembered,
    ...(asks.length === 0 ? {} : { asked: toAsked(asks) })
  }
}

const NO_ASKS: readonly HookAsk[] = []

function toAsked(asks: readonly HookAsk[]): HookedAsks {
  return { asks: asks.map(({ hook }) => `hook:${hook}`), approvals: asks.map(({ hook: _, ...approval }) => approval), isModified: false }
}
