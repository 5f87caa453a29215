// Keeps I6, I9: hooks change what is seen of an answer, not what happened; one that fails withholds it. Those of the definition look first, those of the
// host last. What runs of it is judged by the gate, behind them.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { AfterInference, HookedAnswer } from '../contracts/hook.ts'
import type { HookAsk } from '../contracts/hook-fact.ts'
import type { Part } from '../contracts/message.ts'
import { isOwnCall } from '../state/evolve-turn.ts'
import type { GivenAnswer } from '../state/given-answer.ts'
import type { State, Turn } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { copyJson } from '../util/copy-json.ts'
import { cutText } from '../util/well-formed.ts'
import { gateAnswer } from './gate-answer.ts'
import type { Act } from './hook-answer.ts'
import { BLOCK, readAnswer, REQUIRE_APPROVAL, withText } from './hook-answer.ts'
import { startHooks } from './hook-effect.ts'
import type { HookDeed, HookPorts, HookQuestion } from './hook-round.ts'
import { HookRound } from './hook-round.ts'
import { MAX_RESPONSE_BYTES } from './infer.ts'
import { checkOutput } from './output-check.ts'
import { boundsOf } from './perform-gate.ts'
import type { EffectPorts } from './ports.ts'
import type { PreparedPublication } from './prepare.ts'
import { redactParts } from './redact-parts.ts'

const ACTS: { readonly [act in AfterInference['do']]: Act } = {
  modify: withText('text'),
  block: BLOCK,
  requireApproval: REQUIRE_APPROVAL
}
const MAX_REASON_LENGTH = 2_000

type Reviewed = FactOf<'turn.reviewed'>
type Said = Omit<Reviewed, 'v' | 'type' | 'run' | 'scope' | 'turn'>

/** Has hooks look at an answer, and the gate at what they leave of its calls. Never throws; ends in exactly one `done`. */
export function performReviewTurn(
  { scope, turn: id }: Extract<Action, { do: 'reviewTurn' }>,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  const { turn } = conversationOf(state, scope)
  if (turn?.id !== id || !turn.given) {
    done([])
    return { abort: () => {} }
  }
  // Read off before anything is awaited: the driver goes on changing the state.
  const { given } = turn
  const { thread, publication, plugins } = state
  const about = { thread, run: state.run?.id ?? '', scope, turn: id }
  const judged = new Set(turn.calls.filter((call) => call.verdict !== null).map((call) => call.id))
  const toReviewed = (said: Said): Reviewed => ({ v: 1, type: 'turn.reviewed', run: about.run, scope, turn: id, ...said })
  const review = async (signal: AbortSignal): Promise<readonly Fact[]> => {
    const prepared = await ports.prepared(publication)
    const asked = { ...ports, signal, plugins }
    const question = new AnswerQuestion(id, given, prepared, asked)
    const round = new HookRound(question, about, asked)
    await round.pass(prepared.afterInference?.definition ?? [])
    await round.pass(prepared.afterInference?.host ?? [])
    const said = round.failed === null ? question.say() : toFailed(round.failed)
    if (said.withheld) return [...round.records, toReviewed(said)]
    const gate = {
      bounds: boundsOf(state, ports, said.asks === undefined ? {} : { asks: said.asks }),
      isLooked: prepared.beforeToolCall !== null,
      isJudged: (position: number) => judged.has(`${id}.${position}`)
    }
    return [...round.records, toReviewed(said), ...gateAnswer(about, question.calls, prepared, gate)]
  }
  return startHooks(review, done, (error) => {
    const why = ports.secrets.redact(String(error instanceof Error ? error.message : error))
    return [toReviewed({ withheld: true, error: { code: 'hook_failed', message: `the answer of the model could not be checked: ${why}` } })]
  })
}

function toFailed(hook: string): Said {
  return { withheld: true, error: { code: 'hook_failed', message: `the hook ${hook} could not check the answer of the model` } }
}

/** What an answer looks like by now. */
class AnswerQuestion implements HookQuestion<AfterInference> {
  readonly on = 'afterInference'
  readonly calls: ReturnType<typeof callsIn>
  readonly #turn: Turn['id']
  readonly #given: GivenAnswer
  readonly #prepared: PreparedPublication
  readonly #ports: HookPorts
  readonly #asks: HookAsk[] = []
  #parts: readonly Part[]
  #said: Said | null = null

  constructor(turn: Turn['id'], given: GivenAnswer, prepared: PreparedPublication, ports: HookPorts) {
    this.#turn = turn
    this.#given = given
    this.#prepared = prepared
    this.#ports = ports
    this.#parts = given.parts
    this.calls = callsIn(turn, given.parts)
  }

  ask: HookQuestion<AfterInference>['ask'] = (hook, context) => {
    const { finish, usage, cost, model } = this.#given
    const parts = this.#parts
    const shown: HookedAnswer = { turn: this.#turn, model, text: textIn(parts), parts, calls: this.calls, finish, usage, cost }
    return hook.afterInference?.(copyJson(shown), context)
  }

  read: HookQuestion<AfterInference>['read'] = (answer) => readAnswer<AfterInference>(answer, ACTS)

  apply(hook: string, answer: AfterInference): HookDeed {
    switch (answer.do) {
      case 'modify':
        return this.#modify(answer.text)
      case 'block': {
        const reason = cutText(this.#ports.secrets.redact(answer.reason), MAX_REASON_LENGTH)
        const message = `the hook ${hook} blocked the answer of the model: ${reason}`
        this.#said = { withheld: true, error: { code: 'hook_blocked', message } }
        return { did: 'block', overlay: { reason }, over: true }
      }
      case 'requireApproval': {
        if (this.calls.length === 0) return { fault: 'the answer has no calls that could be held: block or modify it' }
        const { do: _, ...approval } = answer
        this.#asks.push({ hook, ...approval })
        return { did: 'requireApproval', overlay: { ...approval } }
      }
    }
  }

  /** What is left of the answer. */
  say(): Said {
    if (this.#said) return this.#said
    const asks = this.#asks.length === 0 ? {} : { asks: this.#asks }
    if (this.#parts === this.#given.parts) return asks
    const { output } = this.#prepared
    const check = this.calls.length === 0 && output ? this.#ports.secrets.redactJson(checkOutput(this.#parts, output)) : undefined
    return { seen: { inline: this.#parts }, ...(check ? { output: check } : {}), ...asks }
  }

  #modify(text: string): HookDeed {
    if (text === textIn(this.#parts)) return null
    if (Buffer.byteLength(text) > MAX_RESPONSE_BYTES) return { fault: `its text has more than ${MAX_RESPONSE_BYTES} bytes` }
    this.#parts = redactParts(withOtherText(this.#parts, text), this.#ports.secrets)
    return { did: 'modify', overlay: { text: textIn(this.#parts) } }
  }
}

function callsIn(
  turn: Turn['id'],
  parts: readonly Part[]
): readonly { readonly call: string; readonly tool: string; readonly input: string }[] {
  return parts.filter(isOwnCall).map(({ tool, input }, position) => ({ call: `${turn}.${position}`, tool, input }))
}

function textIn(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/**
 * The answer with one text in place of all of its own. What its provider attached to them goes, since it names what was said. So does reasoning, which may
 * say the same; beside calls it stays, because providers want it back with them.
 */
function withOtherText(parts: readonly Part[], text: string): readonly Part[] {
  const hasCalls = parts.some(isOwnCall)
  const kept = parts.filter(({ type }) => type !== 'text' && (hasCalls || (type !== 'reasoning' && type !== 'reasoning-file')))
  const first = parts.findIndex((part) => part.type === 'text' || isOwnCall(part))
  const before = first < 0 ? kept.length : parts.slice(0, first).filter((part) => kept.includes(part)).length
  return [...kept.slice(0, before), { type: 'text', text }, ...kept.slice(before)]
}
