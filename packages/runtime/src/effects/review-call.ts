// Keeps I9: hooks change what is seen of a result, not what happened; one that fails hides it. Those of the definition look first, those of the host last.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { AfterToolCall, HookedResult } from '../contracts/hook.ts'
import type { CallResult } from '../contracts/message.ts'
import { inlineOf } from '../state/body.ts'
import { isInjected } from '../state/call-place.ts'
import type { Call, State } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { toCanonicalJson } from '../util/canonical.ts'
import { copyJson } from '../util/copy-json.ts'
import type { Act } from './hook-answer.ts'
import { BLOCK, readAnswer, withValue } from './hook-answer.ts'
import { startHooks } from './hook-effect.ts'
import type { HookDeed, HookPorts, HookQuestion } from './hook-round.ts'
import { HookRound } from './hook-round.ts'
import type { EffectPorts } from './ports.ts'
import type { HookLayers } from './prepared-hooks.ts'
import { toCallError, toCallResult } from './tool-result.ts'

type Told = Omit<HookedResult, 'result'>

const ACTS: { readonly [act in AfterToolCall['do']]: Act } = { modify: withValue('result'), block: BLOCK }

/** Has hooks look at what a call gave. Never throws; ends in exactly one `done`. */
export function performReviewCall(
  { scope, call: id }: Extract<Action, { do: 'reviewCall' }>,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  const call = conversationOf(state, scope).turn?.calls.find((each) => each.id === id)
  if (!call?.inReview) {
    done([])
    return { abort: () => {} }
  }
  // Read off before anything is awaited: the driver goes on changing the state.
  const { thread, publication, plugins } = state
  const about = { thread, run: state.run?.id ?? '', scope, call: id }
  const told = toTold(state, call)
  const given: CallResult = call.result ? inlineOf(call.result) : { error: 'no result' }
  const maxLength = ports.tool(told.identity, publication)?.maxResultLength
  const toReviewed = (seen: CallResult | null): FactOf<'call.reviewed'> => ({
    v: 1,
    type: 'call.reviewed',
    run: about.run,
    scope,
    call: id,
    ...(seen === null ? {} : { seen: { inline: seen } })
  })
  const review = async (signal: AbortSignal): Promise<readonly Fact[]> => {
    const { afterToolCall } = await ports.prepared(publication)
    if (afterToolCall === null) return [toReviewed(null)]
    const asked = { ...ports, signal, plugins }
    const question = new ResultQuestion(told, given, asked, maxLength)
    const round = new HookRound(question, about, asked)
    await passOutwards(round, afterToolCall)
    return [...round.records, toReviewed(round.failed === null ? question.seen : toUnchecked(`the hook ${round.failed} failed`))]
  }
  return startHooks(review, done, (error) => {
    const { error: why } = toCallError(error, ports.secrets) as { readonly error: string }
    return [toReviewed(toUnchecked(why))]
  })
}

/** Whoever is outside sees last. */
async function passOutwards(round: HookRound<AfterToolCall>, { host, definition }: HookLayers): Promise<void> {
  await round.pass(definition)
  await round.pass(host)
}

function toUnchecked(why: string): CallResult {
  return { error: `This call was run. Its result could not be checked and is not shown: ${why}.` }
}

function toTold(state: State, call: Call): Told {
  const tool = state.tools.get(call.tool)
  return {
    call: call.id,
    tool: call.tool,
    identity: tool?.identity ?? '',
    effect: call.started?.effect ?? 'once',
    arguments: (call.arguments ? inlineOf(call.arguments) : {}) as HookedResult['arguments'],
    digest: call.digest ?? '',
    outcome: call.settled === 'ok' ? 'ok' : 'error',
    ...(isInjected(call.id) ? { injected: true as const } : {})
  }
}

/** What a result looks like by now. */
class ResultQuestion implements HookQuestion<AfterToolCall> {
  readonly on = 'afterToolCall'
  /** What the model is shown in place of the result; null: the result. */
  seen: CallResult | null = null
  readonly #told: Told
  readonly #given: CallResult
  readonly #ports: HookPorts
  readonly #maxLength: number | undefined

  constructor(told: Told, given: CallResult, ports: HookPorts, maxLength: number | undefined) {
    this.#told = told
    this.#given = given
    this.#ports = ports
    this.#maxLength = maxLength
  }

  ask: HookQuestion<AfterToolCall>['ask'] = (hook, context) =>
    hook.afterToolCall?.(copyJson({ ...this.#told, result: this.seen ?? this.#given }), context)

  read: HookQuestion<AfterToolCall>['read'] = (answer) => readAnswer<AfterToolCall>(answer, ACTS)

  apply(_hook: string, answer: AfterToolCall): HookDeed {
    const { secrets } = this.#ports
    if (answer.do === 'block') return this.#show('block', toCallError(answer.reason, secrets))
    const result = toCallResult(answer.result, secrets, this.#maxLength)
    return toCanonicalJson(result) === toCanonicalJson(this.seen ?? this.#given) ? null : this.#show('modify', result)
  }

  #show(did: AfterToolCall['do'], seen: CallResult): HookDeed {
    this.seen = seen
    return { did, overlay: seen, ...(did === 'block' ? { over: true } : {}) }
  }
}
