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
  /** Somebody who looked has found that the starts so far came to nothing: one more may. */
  allowed: number
  /** On the store's clock: what is sent later is not taken. */
  deadline: number
}

/** The world outside. It remembers every effect, and knows what the store had accepted when it began. */
export class Effects {
  readonly records = new Map<string, EffectRecord>()
  modelCalls = 0
  readonly #witness: Witness
  readonly #now: () => number

  constructor(witness: Witness, now: () => number) {
    this.#witness = witness
    this.#now = now
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
    const { effect, leg, deadlineMs } = call.started
    const record = this.#record(keyOf(state.thread, action.call, leg), call.tool, effect)
    record.starts++
    record.deadline = this.#now() + deadlineMs
    if (record.effect === 'once' && record.starts > record.allowed)
      throw new Violation('I5', `${action.id} is started ${record.starts} times`)
    return record
  }

  /** An effect comes about. Throws a `Violation` when it happened before and must not happen twice. */
  land(record: EffectRecord): void {
    if (this.#now() > record.deadline) return
    record.landings++
    if (record.effect === 'once' && record.landings > 1) throw new Violation('I5', `${record.tool} happened ${record.landings} times`)
  }

  starts(thread: ThreadId, call: string): number {
    return this.records.get(keyOf(thread, call, 1))?.starts ?? 0
  }

  /** A tool looks for what a start of its own has done. Throws a `Violation` when it may not be asked. */
  reconcile(action: Extract<Action, { do: 'reconcile' }>, state: State, attempt: number): EffectRecord {
    const call = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)
    const { started } = call ?? {}
    const announced = this.#witness.thread(state.thread).announced.get(`${action.call}#${started?.try}.${started?.leg}`)
    if (!started || announced === undefined || announced >= attempt) throw new Violation('I4', `${action.id} asks about its own attempt`)
    return this.#record(keyOf(state.thread, action.call, started.leg), call?.tool ?? '', started.effect)
  }

  /** What somebody finds who looks whether the last start of a call came about; when nothing did, one more start is right. */
  look(thread: ThreadId, call: string, leg: number): 'done' | 'not_done' {
    const record = this.records.get(keyOf(thread, call, leg))
    return record ? found(record) : 'not_done'
  }

  #record(key: string, tool: string, effect: string): EffectRecord {
    const known = this.records.get(key)
    if (known) return known
    const made: EffectRecord = { tool, effect, starts: 0, landings: 0, allowed: 1, deadline: 0 }
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

/** Whether something came about; when nothing did, one more start is right. */
export function found(record: EffectRecord, isOver = true): 'done' | 'not_done' {
  if (record.landings > 0) return 'done'
  if (isOver) record.allowed = record.starts + 1
  return 'not_done'
}

function keyOf(thread: ThreadId, call: string, leg: number): string {
  return `${thread}:${call}:${leg}`
}
