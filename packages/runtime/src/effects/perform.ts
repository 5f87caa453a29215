import type { Alarm } from '../contracts/clock.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { State } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { gateCall } from './gate.ts'
import { performInfer } from './infer.ts'
import type { EffectPorts } from './ports.ts'
import { performRun } from './run-call.ts'

/** What turns an action of the plan into an effect. Never throws; each effect ends in exactly one `done`. */
export type Perform = (action: Action, state: State, done: (facts: readonly Fact[]) => void) => Running

/** The effects of a conversation, one performer for each kind of action. */
export function createPerform(ports: EffectPorts): Perform {
  return (action, state, done) => {
    switch (action.do) {
      case 'infer':
        return performInfer(action, state, done, ports)
      case 'run':
        return performRun(action, state, done, ports)
      case 'gate':
        return performGate(action, state, done, ports)
    }
  }
}

/** A tool's own schema gets this long to judge arguments; then the call is blocked, as a fault (I9). */
const GATE_TIMEOUT_MS = 10_000

function performGate(
  action: Extract<Action, { do: 'gate' }>,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  const calls = conversationOf(state, action.scope).turn?.calls ?? []
  const position = calls.findIndex((call) => call.id === action.call)
  const call = calls[position]
  let isOver = false
  let alarm: Alarm | null = null
  const end = (facts: readonly Fact[]): void => {
    if (isOver) return
    isOver = true
    alarm?.stop()
    done(facts)
  }
  if (!call) {
    end([])
    return { abort: () => {} }
  }
  const request = {
    thread: state.thread,
    run: state.run?.id ?? '',
    scope: action.scope,
    call: call.id,
    tool: call.tool,
    input: call.input,
    position
  }
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
  const judge = async (): Promise<Fact> => {
    const prepared = await ports.prepared(state.publication)
    return gateCall(request, prepared, { maxCalls: state.limits.maxToolCallsPerIteration, secrets: ports.secrets })
  }
  judge().then(
    (fact) => end([fact]),
    (error: unknown) => end([fault(ports.secrets.redact(error instanceof Error ? error.message : String(error)))])
  )
  alarm = ports.clock.alarm(GATE_TIMEOUT_MS, () => end([fault(`the check did not end within ${GATE_TIMEOUT_MS} ms`)]))
  return { abort: (reason) => end(reason === 'unwanted' ? [fault('cancelled')] : []) }
}
