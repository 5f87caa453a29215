import type { CallOutcome, Fact, FactOf, ModelFailure, ReconcileAnswer } from '../../src/contracts/fact.ts'
import type { OutputCheck } from '../../src/contracts/output-check.ts'
import type { CallResult, Part } from '../../src/contracts/message.ts'
import type { SuspensionKind } from '../../src/contracts/suspension.ts'
import { parseArguments } from '../../src/state/arguments.ts'
import type { Call, State } from '../../src/state/state.ts'
import { conversationOf } from '../../src/state/state.ts'

type Verdict = Extract<Fact, { type: 'call.gated' }>['verdict']

/** A call as a model asks for it. */
export function callPart(tool: string, input = '{}', id = ''): Part {
  return { type: 'tool-call', id, tool, input }
}

export function textPart(text: string): Part {
  return { type: 'text', text }
}

/** The model of the open turn answers. Calls are gated in the same outcome unless their verdict is null; `run` is the default. */
export function answer(
  state: State,
  parts: readonly Part[],
  more: {
    readonly verdicts?: readonly (Verdict | null)[]
    readonly finish?: string
    readonly output?: OutputCheck
    readonly review?: boolean
  } = {}
): readonly Fact[] {
  const turn = turnOf(state)
  const responded: Fact = {
    v: 1,
    type: 'model.responded',
    run: state.run?.id ?? '',
    scope: '',
    turn,
    // As a log gives them: what a generator makes may have no prototype.
    parts: { inline: structuredClone(parts) },
    finish: more.finish ?? 'stop',
    usage: { inputTokens: 10, outputTokens: 5 },
    cost: 0.5,
    model: 'fake/one',
    ...(more.output === undefined ? {} : { output: more.output }),
    ...(more.review ? { review: true } : {})
  }
  if (more.review) return [responded]
  return [responded, ...gatesOf(state, parts, more.verdicts ?? [])]
}

/** Hooks have looked at an answer. */
export function answerReviewed(state: State, act: 'leave' | 'change' | 'withhold', verdicts: readonly (Verdict | null)[]): readonly Fact[] {
  const parts = conversationOf(state).turn?.given?.parts ?? []
  const fact: FactOf<'turn.reviewed'> = { v: 1, type: 'turn.reviewed', run: state.run?.id ?? '', scope: '', turn: turnOf(state) }
  if (act === 'withhold') return [{ ...fact, withheld: true, error: { code: 'hook_blocked', message: 'no' } }]
  const seen = [textPart('seen'), ...parts.filter(({ type }) => type !== 'text')]
  return [act === 'change' ? { ...fact, seen: { inline: seen } } : fact, ...gatesOf(state, parts, verdicts)]
}

function gatesOf(state: State, parts: readonly Part[], given: readonly (Verdict | null)[]): readonly Fact[] {
  const turn = turnOf(state)
  const calls = parts.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true)
  const verdicts = calls.map((_, position) => (given[position] === undefined ? 'run' : given[position]))
  return calls.flatMap((part, position) => {
    const verdict = verdicts[position] ?? null
    return verdict === null || part.type !== 'tool-call' ? [] : [gated(state, `${turn}.${position}`, verdict, part.tool, part.input)]
  })
}

/** The gate judges one call. */
export function gated(state: State, call: string, verdict: Verdict, tool = 'look', input = '{}'): Fact {
  const result: CallResult | null = verdict === 'block' ? { error: 'not allowed' } : verdict === 'respond' ? { value: 'given' } : null
  const parsed = parseArguments(input)
  return {
    v: 1,
    type: 'call.gated',
    run: state.run?.id ?? '',
    scope: '',
    call,
    verdict,
    by: 'test',
    asks: [],
    arguments: { inline: parsed.ok ? parsed.value : null },
    digest: `sha256:${tool}:${input}`,
    ...(result ? { result } : {})
  }
}

/** The try of the open turn gives no answer. */
export function failure(
  state: State,
  why: ModelFailure,
  more: { readonly retryAfterMs?: number; readonly error?: { readonly code: string; readonly message: string } } = {}
): Fact {
  const number = conversationOf(state).turn?.try ?? 1
  return { v: 1, type: 'model.failed', run: state.run?.id ?? '', scope: '', turn: turnOf(state), try: number, why, ...more }
}

/** The call at this place of the open turn ends. */
export function result(
  state: State,
  position: number,
  given: CallResult = { value: 'done' },
  outcome: CallOutcome = 'ok',
  review = false
): Fact {
  const call = `${turnOf(state)}.${position}`
  const looked = review ? { review } : {}
  return { v: 1, type: 'call.settled', run: state.run?.id ?? '', scope: '', call, outcome, result: { inline: given }, ...looked }
}

/** Hooks have looked at a result, and show another one. */
export function reviewed(state: State, { id }: Call, text: string | null): Fact {
  const seen = text === null ? {} : { seen: { inline: { value: text } } }
  return { v: 1, type: 'call.reviewed', run: state.run?.id ?? '', scope: '', call: id, ...seen }
}

/** A leg of a call lets go. */
export function suspended(state: State, call: Call, kind: SuspensionKind, expiresAfterMs?: number): Fact {
  return {
    v: 1,
    type: 'call.suspended',
    run: state.run?.id ?? '',
    scope: '',
    call: call.id,
    leg: call.started?.leg ?? 1,
    wait: `${state.thread}:${call.id}:${kind}:${call.waits + 1}`,
    kind,
    state: { inline: 'kept' },
    subject: { inline: { question: 'well?' } },
    ...(expiresAfterMs === undefined ? {} : { expiresAfterMs })
  }
}

/** A tool says what became of the last start of its call. */
export function reconciled(state: State, call: Call, said: ReconcileAnswer, final: boolean): Fact {
  return {
    v: 1,
    type: 'call.reconciled',
    run: state.run?.id ?? '',
    scope: '',
    call: call.id,
    try: call.started?.try ?? 1,
    leg: call.started?.leg ?? 1,
    said,
    final,
    ...(said === 'done' ? { result: { inline: { value: 'done before' } } } : {})
  }
}

function turnOf(state: State): string {
  return conversationOf(state).turn?.id ?? ''
}
