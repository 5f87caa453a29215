// Keeps I6, I8, I9: hooks change what is judged, never the judgement: rules, grants and approval see what they have left. One that fails blocks the call.
import { isApproval } from '../contracts/approval.ts'
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { BeforeToolCall } from '../contracts/hook.ts'
import type { JsonObject } from '../contracts/json.ts'
import { toJsonCopy } from '../manifest/json-value.ts'
import { TASK_COMPLETE } from '../state/evolve-call.ts'
import { toCanonicalJson } from '../util/canonical.ts'
import { copyJson } from '../util/copy-json.ts'
import { cutText } from '../util/well-formed.ts'
import { callHook } from './call-hook.ts'
import type { GateBounds, GateRequest, Gating, HookedAsks } from './gate.ts'
import { checkArguments, digestOf, judgeChecked, openCall, toGated } from './gate.ts'
import type { Judgement } from './gate-judgement.ts'
import { blocked } from './gate-refusals.ts'
import type { EffectPorts } from './ports.ts'
import type { PreparedPublication } from './prepare.ts'
import type { HookLayers, PreparedHook } from './prepared-hooks.ts'
import { toCallResult } from './tool-result.ts'

/** What hooks are asked with. */
export interface HookPorts extends Pick<EffectPorts, 'clock' | 'logger' | 'secrets'> {
  readonly signal: AbortSignal
}

type Recorded = FactOf<'hook.recorded'>

const MAX_ERROR_LENGTH = 2_000

/** Judges one call that hooks look at: what they did, and the verdict, as the facts of one commit. */
export async function gateHooked(
  request: GateRequest,
  prepared: PreparedPublication,
  bounds: GateBounds,
  { layers, ports }: { readonly layers: HookLayers; readonly ports: HookPorts }
): Promise<readonly Fact[]> {
  const opened = openCall(request, prepared, bounds)
  if ('type' in opened) return [opened]
  const checked = await checkArguments(opened)
  if (!checked.ok) return [await judgeChecked(opened, checked)]
  return new HookedGate(opened, checked.input, ports).judge(layers)
}

/** One call on its way past the hooks. */
class HookedGate {
  readonly #ports: HookPorts
  readonly #records: Recorded[] = []
  readonly #asks: string[] = []
  readonly #approvals: HookedAsks['approvals'][number][] = []
  #gating: Gating
  #input: unknown
  #isModified = false
  #verdict: FactOf<'call.gated'> | null = null

  constructor(gating: Gating, input: unknown, ports: HookPorts) {
    this.#gating = gating
    this.#input = input
    this.#ports = ports
  }

  async judge({ host, definition }: HookLayers): Promise<readonly Fact[]> {
    await this.#pass(host)
    const before = this.#gating.args
    await this.#pass(definition)
    // The host has the last word: what it has let pass is not what stands there now.
    if (this.#gating.args !== before) await this.#pass(host)
    if (this.#verdict) return [...this.#records, this.#verdict]
    const hooked = { asks: this.#asks, approvals: this.#approvals, isModified: this.#isModified }
    return [...this.#records, await judgeChecked({ ...this.#gating, hooked }, { ok: true, input: this.#input })]
  }

  async #pass(hooks: readonly PreparedHook[]): Promise<void> {
    for (const each of hooks) if (this.#verdict === null) await this.#ask(each)
  }

  async #ask({ hook, options }: PreparedHook): Promise<void> {
    const { request, descriptor, args } = this.#gating
    const { thread, run, call, again } = request
    const { clock, logger, signal } = this.#ports
    const shown = {
      ...{ call, tool: descriptor.name, identity: descriptor.identity, effect: descriptor.effect },
      arguments: copyJson(args),
      digest: digestOf(request, descriptor, args),
      ...(again ? { again: true as const } : {})
    }
    const told = { thread, run, logger, ...(options === undefined ? {} : { options: copyJson(options) }) }
    const reply = await callHook(hook, (stop) => hook.beforeToolCall?.(shown, { ...told, signal: stop }), { clock, signal })
    if (!reply.ok) return this.#fail(hook.name, reply.error)
    if (reply.value === undefined || reply.value === null) return
    const answer = readAnswer(reply.value)
    if (typeof answer === 'string') return this.#fail(hook.name, answer)
    return this.#apply(hook.name, answer)
  }

  async #apply(hook: string, answer: BeforeToolCall): Promise<void> {
    const { secrets } = this.#ports
    switch (answer.do) {
      case 'modify':
        return this.#modify(hook, answer.arguments)
      case 'block':
        this.#record(hook, 'block')
        return this.#say(blocked(`hook:${hook}`, secrets.redact(answer.reason.toWellFormed())))
      case 'respond':
        // The run would end with a result that nobody has given.
        if (this.#gating.descriptor.identity === TASK_COMPLETE) return this.#fail(hook, 'task_complete cannot be responded to: block it')
        this.#record(hook, 'respond')
        return this.#say({ verdict: 'respond', by: `hook:${hook}`, result: toCallResult(answer.result, secrets) })
      case 'requireApproval': {
        const { do: _, ...approval } = answer
        const ask = `hook:${hook}`
        if (this.#asks.includes(ask)) return
        this.#record(hook, 'requireApproval')
        this.#asks.push(ask)
        this.#approvals.push(approval)
      }
    }
  }

  async #modify(hook: string, value: JsonObject): Promise<void> {
    const { request, prepared, bounds, args } = this.#gating
    if (toCanonicalJson(value) === toCanonicalJson(args)) return
    // What was approved is what runs, or nothing.
    if (request.again && request.again.digest !== null) return this.#fail(hook, 'it changes arguments that were approved')
    const opened = openCall({ ...request, input: JSON.stringify(value) }, prepared, bounds)
    if ('type' in opened) {
      this.#record(hook, 'modify')
      this.#verdict = opened
      return
    }
    const checked = await checkArguments(opened)
    if (!checked.ok) return this.#fail(hook, `the arguments that it gives do not fit the tool's schema: ${checked.errors}`)
    this.#record(hook, 'modify', opened.args)
    this.#gating = opened
    this.#input = checked.input
    this.#isModified = true
  }

  #fail(hook: string, error: string): void {
    this.#record(hook, 'failed', { error: cutText(this.#ports.secrets.redact(error), MAX_ERROR_LENGTH) })
    this.#say(blocked('fault', `The call could not be checked and was not run: the hook ${hook} failed.`))
  }

  #record(hook: string, did: Recorded['did'], overlay?: JsonObject): void {
    const { run, scope, call } = this.#gating.request
    const seen = overlay === undefined ? {} : { overlay: { inline: overlay } }
    this.#records.push({ v: 1, type: 'hook.recorded', run, scope, hook, on: 'beforeToolCall', did, call, ...seen })
  }

  #say(judgement: Judgement): void {
    const { request, descriptor, args } = this.#gating
    this.#verdict = toGated(request, descriptor, args, judgement)
  }
}

/** What a hook says, looked at before it counts; a text says what is wrong with it. */
function readAnswer(value: unknown): BeforeToolCall | string {
  const copy = toJsonCopy(value)
  if (!copy.ok) return `its answer is no data: ${copy.message}`
  const answer = copy.value
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return EXPECTED
  const { do: act, ...rest } = answer as JsonObject
  switch (act) {
    case 'modify':
      return isObject(rest['arguments']) && hasOnly(rest, 'arguments')
        ? { do: act, arguments: rest['arguments'] }
        : `${EXPECTED}: arguments`
    case 'block':
      return typeof rest['reason'] === 'string' && rest['reason'].trim() !== '' && hasOnly(rest, 'reason')
        ? { do: act, reason: rest['reason'] }
        : `${EXPECTED}: a reason`
    case 'respond':
      return rest['result'] !== undefined && hasOnly(rest, 'result') ? { do: act, result: rest['result'] } : `${EXPECTED}: a result`
    case 'requireApproval':
      return isApproval(rest) ? { do: act, ...rest } : `${EXPECTED}: expiresInMs and quorum above 0`
    default:
      return EXPECTED
  }
}

const EXPECTED = 'expected nothing, or { do: modify, block, respond or requireApproval } with what belongs to it'

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasOnly(value: JsonObject, key: string): boolean {
  return Object.keys(value).every((each) => each === key)
}
