// Keeps I9, I19: what hooks add to a request is a fact before the model is asked; one that fails lets nobody be asked. Those of the host look first, and
// last where those of the definition have changed something.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Fault } from '../contracts/fault.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { BeforeInference } from '../contracts/hook.ts'
import { NO_USAGE } from '../contracts/usage.ts'
import { candidateAt, toModelName } from '../state/candidate.ts'
import { providerOf, shownHistory } from '../state/shown-history.ts'
import type { State } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { cutText } from '../util/well-formed.ts'
import { copyPrompt } from './copy-prompt.ts'
import type { Act } from './hook-answer.ts'
import { BLOCK, readAnswer, withText } from './hook-answer.ts'
import { startHooks } from './hook-effect.ts'
import type { HookDeed, HookPorts, HookQuestion, HookSubject } from './hook-round.ts'
import { HookRound } from './hook-round.ts'
import { checkOutput } from './output-check.ts'
import { appendContext } from './plugin-context.ts'
import type { EffectPorts } from './ports.ts'
import type { PreparedPublication } from './prepare.ts'
import { buildRequest } from './request.ts'

const ACTS: { readonly [act in BeforeInference['do']]: Act } = { modify: withText('context'), block: BLOCK, respond: withText('text') }
const MAX_REASON_LENGTH = 2_000
/** What a hook may add to a request, or answer. */
const MAX_TEXT_BYTES = 262_144

/** Has hooks look at what a model is about to be asked. Never throws; ends in exactly one `done`. */
export function performPrepare(
  { scope, turn, candidate: place }: Extract<Action, { do: 'prepare' }>,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  // Read off before anything is awaited: the driver goes on changing the state.
  const { thread, publication, plugins, definition } = state
  const conversation = conversationOf(state, scope)
  const candidate = candidateAt(definition, place)
  const model = toModelName(candidate)
  const history = shownHistory(conversation, providerOf(definition, model))
  const { system } = conversation
  const about = { thread, run: state.run?.id ?? '', scope, turn }
  const number = conversation.turn?.id === turn ? conversation.turn.try + 1 : 1
  const toPrepared = (said: Pick<FactOf<'turn.prepared'>, 'context' | 'error'>): Fact => ({
    ...{ v: 1, type: 'turn.prepared', run: about.run, scope, turn },
    ...said
  })
  const refuse = (error: Fault): Fact => toPrepared({ error })
  const prepare = async (signal: AbortSignal): Promise<readonly Fact[]> => {
    const prepared = await ports.prepared(publication)
    const asked = { history, system, plugins, context: [], candidate, last: false }
    const { prompt } = await buildRequest(state, asked, prepared, signal)
    const question = new RequestQuestion({ turn, model, prompt }, { ...ports, signal, plugins })
    const round = new HookRound(question, about, { ...ports, signal, plugins })
    const { host, definition: own } = prepared.beforeInference ?? { host: [], definition: [] }
    await round.pass(host)
    const before = question.changes
    await round.pass(own)
    // The host has the last word: what it has let pass is not what stands there now.
    if (question.changes !== before) await round.pass(host)
    if (round.failed !== null) return [...round.records, refuse(toFailed(`the hook ${round.failed}`))]
    const { answer, error } = question
    if (answer !== null) return [...round.records, ...toAnswered(about, number, answer, prepared, ports)]
    if (error !== null) return [...round.records, refuse(error)]
    return [...round.records, toPrepared(question.context.length === 0 ? {} : { context: { inline: question.context } })]
  }
  return startHooks(prepare, done, (error) => {
    const why = ports.secrets.redact(String(error instanceof Error ? error.message : error))
    return [refuse({ code: 'hook_failed', message: `what the model was to be asked could not be checked: ${why}` })]
  })
}

function toFailed(who: string): Fault {
  return { code: 'hook_failed', message: `${who} could not check what the model was to be asked` }
}

type Answer = { readonly hook: string; readonly text: string }

/** The answer of a hook, told like that of a model which has used nothing. */
function toAnswered(
  { run, scope, turn }: HookSubject & { readonly turn: string; readonly scope: string },
  number: number,
  { hook, text }: Answer,
  { output }: PreparedPublication,
  { secrets }: EffectPorts
): readonly Fact[] {
  const model = `hook:${hook}`
  const parts = [{ type: 'text' as const, text }]
  const check = output ? secrets.redactJson(checkOutput(parts, output)) : undefined
  return [
    { v: 1, type: 'turn.started', run, scope, turn, try: number, model, hook },
    {
      ...{ v: 1, type: 'model.responded', run, scope, turn, parts: { inline: parts }, finish: 'stop', usage: NO_USAGE, cost: 0, model },
      ...(check ? { output: check } : {})
    }
  ]
}

interface Told {
  readonly turn: string
  readonly model: string
  readonly prompt: LanguageModelV4Prompt
}

/** What a request looks like by now. */
class RequestQuestion implements HookQuestion<BeforeInference> {
  readonly on = 'beforeInference'
  /** How often something was changed. */
  changes = 0
  answer: Answer | null = null
  error: Fault | null = null
  readonly #told: Told
  readonly #ports: HookPorts
  readonly #added = new Map<string, string>()

  constructor(told: Told, ports: HookPorts) {
    this.#told = told
    this.#ports = ports
  }

  get context(): readonly { readonly hook: string; readonly text: string }[] {
    return [...this.#added].map(([hook, text]) => ({ hook, text }))
  }

  ask: HookQuestion<BeforeInference>['ask'] = (hook, context) => {
    const { turn, model, prompt } = this.#told
    const shown = copyPrompt(prompt)
    appendContext(shown, [...this.#added.values()])
    return hook.beforeInference?.({ turn, model, prompt: shown }, context)
  }

  read: HookQuestion<BeforeInference>['read'] = (answer) => readAnswer<BeforeInference>(answer, ACTS)

  apply(hook: string, answer: BeforeInference): HookDeed {
    const { secrets } = this.#ports
    switch (answer.do) {
      case 'modify':
        return this.#add(hook, secrets.redact(answer.context))
      case 'block': {
        const reason = cutText(secrets.redact(answer.reason), MAX_REASON_LENGTH)
        this.error = { code: 'hook_blocked', message: `the hook ${hook} blocked what the model was to be asked: ${reason}` }
        return { did: 'block', overlay: { reason }, over: true }
      }
      case 'respond': {
        if (isTooLarge(answer.text)) return { fault: TOO_LARGE }
        const text = secrets.redact(answer.text)
        this.answer = { hook, text }
        return { did: 'respond', overlay: { text }, over: true }
      }
    }
  }

  #add(hook: string, text: string): HookDeed {
    if (isTooLarge(text)) return { fault: TOO_LARGE }
    if (this.#added.get(hook) === text) return null
    this.#added.set(hook, text)
    this.changes++
    return { did: 'modify', overlay: { context: text } }
  }
}

const TOO_LARGE = `its text has more than ${MAX_TEXT_BYTES} bytes`

function isTooLarge(text: string): boolean {
  return Buffer.byteLength(text) > MAX_TEXT_BYTES
}
