import * as fc from 'fast-check'
import type { CallOutcome, Fact, ModelFailure, ReconcileAnswer } from '../../src/contracts/fact.ts'
import type { InjectedPrompt } from '../../src/contracts/initial-prompt.ts'
import type { Json } from '../../src/contracts/json.ts'
import type { Part } from '../../src/contracts/message.ts'
import type { SuspensionKind } from '../../src/contracts/suspension.ts'
import { answer, answerReviewed, failure, gated, reconciled, result, reviewed, suspended, textPart } from './outcomes.ts'
import { toPlainCallId } from '../../src/state/shown-history.ts'
import type { PureThread } from './pure-thread.ts'
import { TOOLS } from './publication.ts'

type Verdict = Extract<Fact, { type: 'call.gated' }>['verdict']

/** One thing that happens to a thread. What does not apply to its state does not happen. */
export type Step =
  | { readonly do: 'message'; readonly text: string }
  /** The first run begins with prompts; any other has them in its history. */
  | { readonly do: 'begin'; readonly initial: readonly InjectedPrompt[] }
  | { readonly do: 'interrupt'; readonly text: string }
  | { readonly do: 'cancel' }
  | { readonly do: 'retry' }
  | { readonly do: 'crash'; readonly crashes?: number }
  | { readonly do: 'decide'; readonly nth: number; readonly decision: Json }
  | {
      readonly do: 'answer'
      readonly parts: readonly Part[]
      readonly verdicts: readonly (Verdict | null)[]
      readonly finish: string
      readonly review?: boolean
    }
  | { readonly do: 'reviewAnswer'; readonly act: 'leave' | 'change' | 'withhold'; readonly verdicts: readonly (Verdict | null)[] }
  | { readonly do: 'fail'; readonly why: ModelFailure; readonly retryAfterMs?: number; readonly code?: string }
  | { readonly do: 'gate'; readonly nth: number; readonly verdict: Verdict }
  | { readonly do: 'settle'; readonly nth: number; readonly outcome: CallOutcome; readonly text: string; readonly review?: boolean }
  | { readonly do: 'review'; readonly nth: number; readonly text: string | null }
  | { readonly do: 'suspend'; readonly nth: number; readonly kind: SuspensionKind; readonly expiresAfterMs?: number }
  | { readonly do: 'reconcile'; readonly nth: number; readonly said: ReconcileAnswer }
  | { readonly do: 'wait'; readonly ms: number }

const anyText = fc.oneof(fc.constantFrom('', ' ', 'ok', 'long answer'), fc.string({ unit: 'grapheme', maxLength: 12 }))
const anyCall = fc.record({
  type: fc.constant('tool-call' as const),
  id: fc.constantFrom(
    '',
    '',
    'a',
    'b',
    'call_0_1_0',
    'call_1_1_1',
    'call_2_2_0',
    'call_1|fc_a',
    'x'.repeat(86),
    toPlainCallId('call_1|fc_a')
  ),
  tool: fc.constantFrom(...TOOLS.map((tool) => tool.name), 'unheard_of'),
  input: fc.constantFrom('', '{}', '{"n":1}', '{"n":2}', '{"result":"fine"}', '{"q":"x\\ud99c y"}', '[1]', '{"n":')
})
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: anyCall },
  { weight: 2, arbitrary: anyText.map(textPart) },
  { weight: 1, arbitrary: fc.constant<Part>({ type: 'reasoning', text: 'hm', metadata: { some: { signature: 's' } } }) },
  { weight: 1, arbitrary: anyCall.map((part): Part => ({ ...part, providerExecuted: true })) },
  { weight: 1, arbitrary: fc.constant<Part>({ type: 'file', mediaType: 'image/png', source: { data: 'QQ==' } }) },
  { weight: 1, arbitrary: fc.constant<Part>({ type: 'source', source: { url: 'https://example.com' } }) }
)
const anyPrompt: fc.Arbitrary<InjectedPrompt> = fc.record(
  {
    role: fc.constant('system' as const),
    text: anyText,
    calls: fc.array(
      anyCall.map(({ tool, input }) => ({ tool, input })),
      { maxLength: 3 }
    )
  },
  { requiredKeys: [], noNullPrototype: true }
)
/** What a thread may begin with. */
export const anyPrompts = fc.array(anyPrompt, { maxLength: 4 })
const anyVerdict = fc.constantFrom<Verdict>('run', 'run', 'hold', 'block', 'respond')
const nth = fc.nat(5)

/** Anything that can happen. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('message' as const), text: anyText }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('begin' as const), initial: fc.array(anyPrompt, { minLength: 1, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('interrupt' as const), text: anyText }) },
  { weight: 1, arbitrary: fc.constantFrom<Step[]>({ do: 'cancel' }, { do: 'crash' }, { do: 'crash', crashes: 5 }, { do: 'retry' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      nth,
      decision: fc.constantFrom<Json[]>(
        ...['approve', { decision: 'approve' }, { decision: 'deny', reason: 'no' }, null, [1]],
        ...[
          { decision: 'answer', answer: null },
          { decision: 'outcome', outcome: 'happened', result: 1 }
        ],
        ...[{ decision: 'outcome', outcome: 'not_happened' }, { decision: 'outcome' }]
      )
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      parts: fc.array(anyPart, { maxLength: 5 }),
      verdicts: fc.array(fc.option(anyVerdict, { freq: 6 }), { minLength: 5, maxLength: 5 }),
      finish: fc.constantFrom(...Array<string>(12).fill('stop'), 'tool-calls', 'length', 'content-filter'),
      review: fc.constantFrom(false, false, true)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reviewAnswer' as const),
      act: fc.constantFrom('leave' as const, 'change' as const, 'withhold' as const),
      verdicts: fc.array(fc.option(anyVerdict, { freq: 6 }), { minLength: 5, maxLength: 5 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        do: fc.constant('fail' as const),
        why: fc.constantFrom<ModelFailure[]>('transient', 'permanent', 'aborted', 'interrupted', 'blocked'),
        retryAfterMs: fc.constantFrom(0, 300, 8_000, 700_000, 700_000_000),
        code: fc.constantFrom('provider_overloaded', 'secret_missing', 'content_filtered')
      },
      { requiredKeys: ['do', 'why'] }
    )
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('gate' as const), nth, verdict: anyVerdict }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      nth,
      outcome: fc.constantFrom<CallOutcome[]>('ok', 'error', 'timeout'),
      text: anyText,
      review: fc.boolean()
    })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('review' as const), nth, text: fc.option(anyText) }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant('suspend' as const),
        nth,
        kind: fc.constantFrom<SuspensionKind[]>('external', 'approval', 'question'),
        expiresAfterMs: fc.constant(500)
      },
      { requiredKeys: ['do', 'nth', 'kind'] }
    )
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reconcile' as const),
      nth,
      said: fc.constantFrom<ReconcileAnswer[]>('done', 'not_done', 'not_done', 'unknown', 'failed')
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 600, 10_000, 800_000) }) }
)

/** Does one step to a thread and commits what follows. */
export function play(thread: PureThread, step: Step): void {
  if (step.do === 'crash') crash(thread, step.crashes ?? 0)
  else if (step.do === 'message') thread.message(step.text)
  else if (step.do === 'interrupt') thread.message(step.text, 'interrupt')
  else if (step.do === 'cancel') thread.deliver('cancel', { reason: 'enough' })
  else if (step.do === 'retry') retry(thread)
  else if (step.do === 'begin') begin(thread, step.initial)
  else if (step.do === 'wait') thread.now += step.ms
  else if (step.do === 'decide') decide(thread, step.nth, step.decision)
  else return void thread.commit(...outcomeOf(thread, step))
  thread.commit()
}

function crash(thread: PureThread, crashes: number): void {
  thread.crashes = crashes
  thread.claim()
}

function begin(thread: PureThread, initial: readonly InjectedPrompt[]): void {
  thread.deliver('start', { run: `run_begun_${thread.delivered.length}`, parts: [textPart('the task')], initial } as unknown as Json)
}

function retry(thread: PureThread): void {
  thread.deliver('start', { run: `run_retry_${thread.delivered.length}`, parts: [], retries: thread.state.run?.id ?? 'none' })
}

function decide(thread: PureThread, place: number, decision: Json): void {
  const waits = [...thread.state.waits.keys()]
  const wait = waits[place % Math.max(1, waits.length)]
  if (wait !== undefined) thread.deliver('decision', { wait, decision })
}

function outcomeOf(
  thread: PureThread,
  step: Extract<Step, { do: 'answer' | 'fail' | 'reviewAnswer' | keyof typeof ACTIONS }>
): readonly Fact[] {
  const { state } = thread
  const { actions } = thread.plan()
  if (step.do === 'answer' || step.do === 'fail') {
    if (!actions.some((action) => action.do === 'infer')) return []
    if (step.do === 'answer') return answer(state, step.parts, step)
    const { why, retryAfterMs, code } = step
    const error = code === undefined ? {} : { error: { code, message: code } }
    return [failure(state, why, { ...error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })]
  }
  if (step.do === 'reviewAnswer') {
    return actions.some((action) => action.do === 'reviewTurn') ? answerReviewed(state, step.act, step.verdicts) : []
  }
  const fitting = actions.filter((action) => action.do === ACTIONS[step.do])
  const action = fitting[step.nth % Math.max(1, fitting.length)]
  if (!action || !('call' in action)) return []
  const call = thread.conversation.turn?.calls.find((each) => each.id === action.call)
  if (!call) return []
  if (step.do === 'gate') return [gated(state, call.id, step.verdict, call.tool, call.input)]
  if (step.do === 'suspend') return [suspended(state, call, step.kind, step.expiresAfterMs)]
  if (step.do === 'reconcile') return action.do === 'reconcile' ? [reconciled(state, call, step.said, action.final)] : []
  if (step.do === 'review') return [reviewed(state, call, step.text)]
  const given = step.outcome === 'ok' ? { value: step.text } : { error: step.text }
  return [result(state, Number(call.id.slice(call.id.lastIndexOf('.') + 1)), given, step.outcome, step.review)]
}

/** What a step about a call ends. */
const ACTIONS = { gate: 'gate', settle: 'run', suspend: 'run', reconcile: 'reconcile', review: 'reviewCall' } as const

const WHY = { cancel: 'aborted', interrupt: 'interrupted' } as const

/** Brings a thread to rest in the plainest way: models answer, calls succeed, people refuse, time passes. False when it does not rest. */
export function finish(thread: PureThread): boolean {
  for (let step = 0; step < 300; step++) {
    thread.commit()
    const { actions, timer, rest } = thread.plan()
    const [action] = actions
    if (action?.do === 'infer')
      thread.commit(...(action.cancelled ? [failure(thread.state, WHY[action.cancelled.by])] : answer(thread.state, [textPart('done')])))
    else if (action?.do === 'gate') play(thread, { do: 'gate', nth: 0, verdict: 'run' })
    else if (action?.do === 'reconcile') play(thread, { do: 'reconcile', nth: 0, said: 'done' })
    else if (action?.do === 'reviewTurn') thread.commit(...answerReviewed(thread.state, 'leave', []))
    else if (action?.do === 'reviewCall') play(thread, { do: 'review', nth: 0, text: null })
    else if (action) play(thread, { do: 'settle', nth: 0, outcome: 'ok', text: 'done' })
    else if (timer !== null) thread.now = Math.max(thread.now, timer)
    else if (thread.state.waits.size > 0) play(thread, { do: 'decide', nth: 0, decision: 'deny' })
    else if (rest) return true
  }
  return false
}
