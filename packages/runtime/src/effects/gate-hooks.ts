// Keeps I6, I8, I9: hooks change what is judged, never the judgement: rules, grants and approval see what they have left. One that fails blocks the call.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { BeforeToolCall } from '../contracts/hook.ts'
import type { JsonObject } from '../contracts/json.ts'
import { isInjected } from '../state/call-place.ts'
import { TASK_COMPLETE } from '../state/evolve-call.ts'
import { toCanonicalJson } from '../util/canonical.ts'
import { copyJson } from '../util/copy-json.ts'
import type { GateBounds, GateRequest, Gating, HookedAsks } from './gate.ts'
import { checkArguments, digestOf, judgeChecked, openCall, toGated } from './gate.ts'
import type { Judgement } from './gate-judgement.ts'
import { blocked } from './gate-refusals.ts'
import type { Act } from './hook-answer.ts'
import { BLOCK, readAnswer, REQUIRE_APPROVAL, withObject, withValue } from './hook-answer.ts'
import type { HookDeed, HookPorts, HookQuestion } from './hook-round.ts'
import { HookRound } from './hook-round.ts'
import type { PreparedPublication } from './prepare.ts'
import type { HookLayers } from './prepared-hooks.ts'
import { toCallResult } from './tool-result.ts'

const ACTS: { readonly [act in BeforeToolCall['do']]: Act } = {
  modify: withObject('arguments'),
  block: BLOCK,
  respond: withValue('result'),
  requireApproval: REQUIRE_APPROVAL
}

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
class HookedGate implements HookQuestion<BeforeToolCall> {
  readonly on = 'beforeToolCall'
  readonly #ports: HookPorts
  readonly #asks: string[]
  readonly #approvals: HookedAsks['approvals'][number][]
  #gating: Gating
  #input: unknown
  #isModified = false
  #verdict: FactOf<'call.gated'> | null = null

  constructor(gating: Gating, input: unknown, ports: HookPorts) {
    this.#gating = gating
    this.#input = input
    // Some have asked when they looked at the answer.
    this.#asks = [...(gating.hooked?.asks ?? [])]
    this.#approvals = [...(gating.hooked?.approvals ?? [])]
    this.#ports = ports
  }

  async judge({ host, definition }: HookLayers): Promise<readonly Fact[]> {
    const { thread, run, scope, call } = this.#gating.request
    const round = new HookRound(this, { thread, run, scope, call }, this.#ports)
    await round.pass(host)
    const before = this.#gating.args
    await round.pass(definition)
    // The host has the last word: what it has let pass is not what stands there now.
    if (this.#gating.args !== before) await round.pass(host)
    if (round.failed !== null)
      this.#say(blocked('fault', `The call could not be checked and was not run: the hook ${round.failed} failed.`))
    if (this.#verdict) return [...round.records, this.#verdict]
    const hooked = { asks: this.#asks, approvals: this.#approvals, isModified: this.#isModified }
    return [...round.records, await judgeChecked({ ...this.#gating, hooked }, { ok: true, input: this.#input })]
  }

  ask: HookQuestion<BeforeToolCall>['ask'] = (hook, context) => {
    const { request, descriptor, args } = this.#gating
    const shown = {
      ...{ call: request.call, tool: descriptor.name, identity: descriptor.identity, effect: descriptor.effect },
      arguments: copyJson(args),
      digest: digestOf(request, descriptor, args),
      ...(request.again ? { again: true as const } : {}),
      ...(isInjected(request.call) ? { injected: true as const } : {})
    }
    return hook.beforeToolCall?.(shown, context)
  }

  read: HookQuestion<BeforeToolCall>['read'] = (answer) => readAnswer<BeforeToolCall>(answer, ACTS)

  async apply(hook: string, answer: BeforeToolCall): Promise<HookDeed> {
    const { secrets } = this.#ports
    switch (answer.do) {
      case 'modify':
        return this.#modify(answer.arguments)
      case 'block':
        this.#say(blocked(`hook:${hook}`, secrets.redact(answer.reason.toWellFormed())))
        return { did: 'block', over: true }
      case 'respond':
        // The run would end with a result that nobody has given.
        if (this.#gating.descriptor.identity === TASK_COMPLETE) return { fault: 'task_complete cannot be responded to: block it' }
        this.#say({ verdict: 'respond', by: `hook:${hook}`, result: toCallResult(answer.result, secrets) })
        return { did: 'respond', over: true }
      case 'requireApproval': {
        const { do: _, ...approval } = answer
        const ask = `hook:${hook}`
        if (this.#asks.includes(ask)) return null
        this.#asks.push(ask)
        this.#approvals.push(approval)
        return { did: 'requireApproval' }
      }
    }
  }

  async #modify(value: JsonObject): Promise<HookDeed> {
    const { request, prepared, bounds, args } = this.#gating
    if (toCanonicalJson(value) === toCanonicalJson(args)) return null
    // What was approved is what runs, or nothing.
    if (request.again && request.again.digest !== null) return { fault: 'it changes arguments that were approved' }
    const opened = openCall({ ...request, input: JSON.stringify(value) }, prepared, bounds)
    if ('type' in opened) {
      this.#verdict = opened
      return { did: 'modify', over: true }
    }
    const checked = await checkArguments(opened)
    if (!checked.ok) return { fault: `the arguments that it gives do not fit the tool's schema: ${checked.errors}` }
    this.#gating = opened
    this.#input = checked.input
    this.#isModified = true
    return { did: 'modify', overlay: opened.args }
  }

  #say(judgement: Judgement): void {
    const { request, descriptor, args } = this.#gating
    this.#verdict = toGated(request, descriptor, args, judgement)
  }
}
