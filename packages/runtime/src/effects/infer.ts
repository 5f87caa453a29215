// Keeps I19: the request is a function of facts and publication. The answer and what the gate says of its calls are one commit.
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Alarm } from '../contracts/clock.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { Part } from '../contracts/message.ts'
import type { CalledModel } from '../contracts/price.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import { candidateAt } from '../state/candidate.ts'
import { isOwnCall } from '../state/evolve-turn.ts'
import { contextOf } from '../state/prepared-request.ts'
import { providerOf, shownHistory } from '../state/shown-history.ts'
import type { Conversation, State, Turn } from '../state/state.ts'
import { conversationOf } from '../state/state.ts'
import { isPromise } from '../util/promise.ts'
import { redactError } from '../util/redact-error.ts'
import { gateAnswer } from './gate-answer.ts'
import { boundsOf } from './perform-gate.ts'
import type { ModelError } from './model-failure.ts'
import { classifyModelError, toModelError } from './model-failure.ts'
import { checkOutput } from './output-check.ts'
import type { EffectPorts } from './ports.ts'
import type { PreparedPublication } from './prepare.ts'
import type { ResponseDelta } from './read-parts.ts'
import type { ModelResponse, ReadResponseOptions } from './read-response.ts'
import { readResponse } from './read-response.ts'
import { RunningInference } from './running-inference.ts'
import { redactParts } from './redact-parts.ts'
import type { TurnQuestion } from './request.ts'
import { buildRequest, requestLength } from './request.ts'
import type { DeltaReader } from './shown-deltas.ts'
import { hideSecrets } from './shown-deltas.ts'

/** What one answer may weigh: it must fit into a fact beside the judgements of its calls. */
export const MAX_RESPONSE_BYTES = 400_000
/** The same with its judgements, as JSON: the end of the run repeats it, and both must fit into one commit. */
const MAX_STORED_BYTES = 500_000
/** What the judgement of one call and its start weigh at most, without the arguments. */
const MAX_JUDGEMENT_BYTES = 16_000

type InferAction = Extract<Action, { do: 'infer' }>

/** Asks the model once. Never throws; ends in exactly one `done`. */
export function performInfer(action: InferAction, state: State, done: (facts: readonly Fact[]) => void, ports: EffectPorts): Running {
  const conversation = conversationOf(state, action.scope)
  const { turn } = conversation
  const run = state.run?.id ?? ''
  if (!turn || action.cancelled) {
    const why = action.cancelled?.by === 'interrupt' ? 'interrupted' : 'aborted'
    done([{ v: 1, type: 'model.failed', run, scope: action.scope, turn: action.turn, try: turn?.try ?? 1, why }])
    return { abort: () => {} }
  }
  const running = new RunningInference(done)
  void infer(toAsked(state, { conversation, turn, run, running }), ports)
  return running
}

/** What is read off the state before anything is awaited: the driver goes on changing it. */
interface Asked extends TurnQuestion {
  readonly state: State
  readonly turn: Turn
  readonly try: number
  readonly scope: string
  readonly run: string
  /** What facts call the model. */
  readonly model: string
  readonly running: RunningInference
}

type Given = Pick<Asked, 'turn' | 'run' | 'running'> & { readonly conversation: Conversation }

function toAsked(state: State, { conversation, turn, run, running }: Given): Asked {
  const { definition } = state
  const { model, candidate } = turn
  return {
    state,
    turn,
    try: turn.try,
    scope: conversation.scope,
    run,
    model,
    history: shownHistory(conversation, providerOf(definition, model)),
    system: conversation.system,
    plugins: state.plugins,
    context: contextOf(conversation.prepared, turn.id),
    candidate: candidateAt(definition, candidate),
    last: turn.last,
    running
  }
}

/** One function, and nothing is awaited that is there already: each wait costs a turn as much as a dozen calls. */
async function infer(asked: Asked, ports: EffectPorts): Promise<void> {
  const { state, running } = asked
  const { providerTimeoutMs, maxInputBytes } = state.limits
  let timer: Alarm | undefined
  let facts: readonly Fact[]
  try {
    const prepared = await ports.prepared(state.publication)
    timer = ports.clock.alarm(providerTimeoutMs, () => running.stop(TIMED_OUT))
    const found = ports.models(asked.candidate)
    const model = isPromise(found) ? await running.unlessStopped(found) : found
    const built = buildRequest(state, asked, prepared, running.signal)
    const request = isPromise(built) ? await running.unlessStopped(built) : built
    assertFits(request, maxInputBytes)
    // No provider is called after a cancel (semantics §6).
    if (running.aborted) throw running.reason
    const { stream } = await running.unlessStopped(model.doStream(request))
    const reading = new Reading(request, asked, ports)
    const response = await readResponse(stream, reading)
    reading.end()
    const priced = withCost(response, { reference: asked.model, provider: model.provider, model: model.modelId }, ports)
    facts = toFacts(isPromise(priced) ? await priced : priced, asked, prepared, ports)
  } catch (error) {
    facts = [toFailed(toFailure(error, running, ports), asked, ports)]
  } finally {
    timer?.stop()
  }
  running.end(facts)
}

/** What is thrown may be anything, also something that throws when it is looked at. */
function toFailure(error: unknown, running: RunningInference, { secrets }: EffectPorts): Failure {
  try {
    return classifyModelError(redactError(error, secrets), running)
  } catch {
    return classifyModelError(new Error('an error that cannot be read'), running)
  }
}

/** The failure as a fact. What came too late has timed out, whatever it says. */
function toFailed(failure: Failure, { state, turn, scope, run, running, try: count }: Asked, { secrets }: EffectPorts): Fact {
  const isTooLate = running.reason === TIMED_OUT
  const { error, ...more } = isTooLate ? { ...failure, ...timedOut(state.limits.providerTimeoutMs) } : failure
  const { code, message } = error
  return { v: 1, type: 'model.failed', run, scope, turn: turn.id, try: count, ...more, error: { code, message: secrets.redact(message) } }
}

function toFacts(response: Priced, asked: Asked, prepared: PreparedPublication, ports: EffectPorts): readonly Fact[] {
  const { state, turn, scope, run } = asked
  const { secrets } = ports
  if (response.kind === 'failed') {
    const { kind: _, ...failure } = response
    return [toFailed(failure, asked, ports)]
  }
  // The gate judges what the model wrote; what is kept of it holds no secret.
  const calls = response.parts.filter(isOwnCall)
  const kept = redactResponse(response, secrets)
  const output = calls.length === 0 && prepared.output ? secrets.redactJson(checkOutput(kept.parts, prepared.output)) : undefined
  const facts: Fact[] = [
    {
      v: 1,
      type: 'model.responded',
      run,
      scope,
      turn: turn.id,
      parts: { inline: kept.parts },
      finish: response.finish,
      usage: response.usage,
      cost: response.cost ?? 'unknown',
      model: kept.model ?? asked.model,
      ...(output ? { output } : {}),
      ...(prepared.afterInference === null ? {} : { review: true as const })
    }
  ]
  if (calls.length > 0) {
    // Hooks look at what is committed.
    const isLooked = prepared.beforeToolCall !== null || prepared.afterInference !== null
    const bounds = boundsOf(state, ports, { last: asked.last })
    facts.push(...gateAnswer({ thread: state.thread, run, scope, turn: turn.id }, calls, prepared, { bounds, isLooked }))
  }
  if (fitsForSure(kept, calls.length) || !weighsTooMuch(facts)) return facts
  const excess = toModelError(
    'response_too_large',
    `The response, as it is stored, is larger than ${MAX_STORED_BYTES} bytes. Ask for a shorter one.`
  )
  return [toFailed({ ...excess, usage: response.usage, cost: response.cost ?? 'unknown' }, asked, ports)]
}

/** What is kept of a response. */
type Kept = { readonly parts: readonly Part[]; readonly model?: string }

function redactResponse(response: Kept, secrets: SecretRegistry): Kept {
  if (secrets.size === 0) return response
  const { parts, model } = response
  return { parts: redactParts(parts, secrets), ...(model === undefined ? {} : { model: secrets.redact(model) }) }
}

/** Whether what is stored fits even at six bytes a character and with the longest judgements: so that few answers are written twice. */
function fitsForSure({ parts, model = '' }: Kept, calls: number): boolean {
  let characters = model.length
  for (const part of parts) {
    if ((part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'tool-call') || part.metadata) return false
    characters += part.type === 'tool-call' ? part.id.length + part.tool.length + 2 * part.input.length : part.text.length
  }
  return 6 * characters + calls * MAX_JUDGEMENT_BYTES < MAX_STORED_BYTES
}

/** Quotes and control characters weigh more where they are stored than where they came. */
function weighsTooMuch(facts: readonly Fact[]): boolean {
  const text = JSON.stringify(facts)
  return text.length * 3 > MAX_STORED_BYTES && Buffer.byteLength(text) > MAX_STORED_BYTES
}

class Reading implements ReadResponseOptions {
  readonly signal: RunningInference
  readonly clock: EffectPorts['clock']
  readonly maxBytes = MAX_RESPONSE_BYTES
  readonly #request: LanguageModelV4CallOptions
  readonly #asked: Asked
  readonly #ports: EffectPorts
  /** Of whom somebody watches. */
  #shown: DeltaReader | undefined

  constructor(request: LanguageModelV4CallOptions, asked: Asked, ports: EffectPorts) {
    this.#request = request
    this.#asked = asked
    this.#ports = ports
    this.signal = asked.running
    this.clock = ports.clock
    if (this.#isWatched) this.#shown = toDeltaReader(asked, ports)
  }

  /** Who comes in the middle is shown all that has come: a secret that is cut in two by then is known by its beginning. */
  onDelta(delta: ResponseDelta, soFar: () => readonly ResponseDelta[]): void {
    if (this.#shown) return this.#shown.take(delta)
    if (!this.#isWatched) return
    this.#shown = toDeltaReader(this.#asked, this.#ports)
    for (const each of soFar()) this.#shown.take(each)
  }

  end(): void {
    this.#shown?.end()
  }

  get #isWatched(): boolean {
    return this.#ports.isWatched(this.#asked.state.thread)
  }

  get promptCharacters(): number {
    return requestLength(this.#request)
  }

  clean(error: unknown): unknown {
    const { secrets } = this.#ports
    return secrets.size > 0 ? redactError(error, secrets) : error
  }
}

type Priced = ModelResponse & { readonly cost?: Cost }
type Failure = ModelError & { readonly usage?: Usage; readonly cost?: Cost }

/** A promise only where the table of prices is still to be read. */
function withCost(response: ModelResponse, asked: CalledModel, ports: EffectPorts): Priced | Promise<Priced> {
  if (!response.usage) return response
  const answered = response.kind === 'responded' ? response.model : undefined
  const cost = ports.costOf(answered === undefined ? asked : { ...asked, answered }, response.usage)
  return isPromise(cost) ? cost.then((known) => ({ ...response, cost: known })) : { ...response, cost }
}

function assertFits(request: LanguageModelV4CallOptions, maxBytes: number | undefined): void {
  if (maxBytes === undefined) return
  const bytes = Buffer.byteLength(JSON.stringify(request.prompt))
  if (bytes > maxBytes) throw new HoldfastError('value_too_large', `the messages have ${bytes} bytes, and maxInputBytes is ${maxBytes}`)
}

const TIMED_OUT = new Error('the model did not answer in time')

function timedOut(durationMs: number): ModelError {
  return { why: 'transient', error: { code: 'provider_timeout', message: `the model did not answer within ${durationMs} ms` } }
}

function toDeltaReader(asked: Asked, ports: EffectPorts): DeltaReader {
  const { turn, state, try: count } = asked
  const common = { thread: state.thread, attempt: turn.stamp.attempt, turn: turn.id, try: count }
  if (count > 1) ports.emit({ ...common, type: 'try.reset' })
  return hideSecrets((delta) => ports.emit({ ...common, ...delta }), ports.secrets)
}
