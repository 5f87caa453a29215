import type { Action } from '../../src/contracts/heart.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import type { State } from '../../src/state/state.ts'
import { conversationOf } from '../../src/state/state.ts'
import { inlineOf } from '../../src/state/body.ts'
import { toCanonicalJson } from '../../src/util/canonical.ts'
import { checkHistory } from './check-history.ts'
import type { Witness, WitnessedThread } from './witness.ts'
import { Violation } from './witness.ts'

/** What happened in the world outside because of one call. */
export interface EffectRecord {
  readonly tool: string
  readonly effect: string
  starts: number
  /** How often it came about: a process may die between the start and this. */
  landings: number
}

/** The world outside. It remembers every effect, and knows what the store had accepted when it began. */
export class Effects {
  readonly records = new Map<string, EffectRecord>()
  modelCalls = 0
  readonly #witness: Witness

  constructor(witness: Witness) {
    this.#witness = witness
  }

  /** A model call begins. Throws a `Violation` when it may not. */
  startInfer(action: Extract<Action, { do: 'infer' }>, state: State, attempt: number): void {
    this.modelCalls++
    this.#assertAnnounced(action.id, state, attempt)
    const failure = checkHistory(conversationOf(state, action.scope).history)
    if (failure) throw new Violation('I7', `the history given to the model of ${action.id} is not valid: ${failure}`)
  }

  /** A call begins. Throws a `Violation` when it may not. */
  startCall(action: Extract<Action, { do: 'run' }>, state: State, attempt: number): EffectRecord {
    const thread = this.#assertAnnounced(action.id, state, attempt)
    const call = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)
    const gated = thread.gated.get(action.call)
    if (!call?.started || !call.arguments || !gated) throw new Violation('I6', `${action.id} starts without having been gated`)
    const isSame = toCanonicalJson(inlineOf(call.arguments)) === toCanonicalJson(inlineOf(gated.arguments)) && call.digest === gated.digest
    if (!isSame) throw new Violation('I6', `${action.id} does not run what was gated`)
    const record = this.#record(`${state.thread}:${action.call}`, call.tool, call.started.effect)
    record.starts++
    if (record.effect === 'once' && record.starts > 1) throw new Violation('I5', `${action.id} is started ${record.starts} times`)
    return record
  }

  /** An effect comes about. Throws a `Violation` when it happened before and must not happen twice. */
  land(record: EffectRecord): void {
    record.landings++
    if (record.effect === 'once' && record.landings > 1) throw new Violation('I5', `${record.tool} happened ${record.landings} times`)
  }

  starts(thread: ThreadId, call: string): number {
    return this.records.get(`${thread}:${call}`)?.starts ?? 0
  }

  #record(key: string, tool: string, effect: string): EffectRecord {
    const known = this.records.get(key)
    if (known) return known
    const made: EffectRecord = { tool, effect, starts: 0, landings: 0 }
    this.records.set(key, made)
    return made
  }

  #assertAnnounced(id: string, state: State, attempt: number): WitnessedThread {
    const thread = this.#witness.thread(state.thread)
    const run = state.run?.id ?? ''
    if (thread.announced.get(id) !== attempt) throw new Violation('I4', `${id} starts before it is committed as started`)
    if (thread.cancelled.has(run)) throw new Violation('cancel', `${id} starts after a cancel was committed`)
    if (thread.ended.has(run)) throw new Violation('I17', `${id} starts after its run has ended`)
    return thread
  }
}
