// Keeps I6 (the digest names tool, version, arguments and thread; only that is run), I8, I9 (a gate that cannot judge blocks). In this order; the
// first that decides, decides: tool and arguments, hooks (gate-hooks.ts), permission rules, grants, the tool's own approval.
import type { Approval } from '../contracts/approval.ts'
import type { FactOf } from '../contracts/fact.ts'
import type { Grants } from '../contracts/grants.ts'
import type { Digest } from '../contracts/ids.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import { allowsTool } from '../grants/permits.ts'
import type { RuleVerdict } from '../grants/rule-layers.ts'
import { findLacking } from '../grants/tool-needs.ts'
import type { CheckedArguments } from '../manifest/tool-arguments.ts'
import { parseArguments } from '../state/arguments.ts'
import { toCallDigest } from '../state/call-digest.ts'
import { ASK_USER, TASK_COMPLETE } from '../state/evolve-call.ts'
import type { Remembered } from '../state/state.ts'
import { isPromise } from '../util/promise.ts'
import { cutText } from '../util/well-formed.ts'
import type { Asking } from './gate-asks.ts'
import { judgeAsks } from './gate-asks.ts'
import type { Judgement, SecondLook } from './gate-judgement.ts'
import { blocked, unknownTool } from './gate-refusals.ts'
import type { PreparedPublication } from './prepare.ts'
import { redactInput } from './redact-parts.ts'
import { strictestApproval } from './strictest-approval.ts'

/** A call as the gate is asked about it. */
export interface GateRequest {
  readonly thread: string
  readonly run: string
  readonly scope: string
  readonly call: string
  readonly tool: string
  /** The arguments as a JSON text: those of the model, or those that a decision put in their place. */
  readonly input: string
  /** Its place in the response, from 0. */
  readonly position: number
  /** Present after an approval: the gate looks again, on today's policy. */
  readonly again?: SecondLook
}

/** What the gate holds every call to, beside its tool. */
export interface GateBounds {
  /** How many calls of one answer may run. */
  readonly maxCalls: number
  /** Whether no tool may be called in this turn. */
  readonly last: boolean
  readonly secrets: SecretRegistry
  /** What the thread may do today. */
  readonly grants: Grants
  readonly remembered: readonly Remembered[]
  /** What hooks that looked at the answer ask for. */
  readonly asked?: HookedAsks
}

type Gated = FactOf<'call.gated'>

const NONE: readonly string[] = []
const MAX_INPUT_SHOWN = 100
const LAST_TURN = 'Not run: this was the last turn of the run, and no tool could be called in it.'

/** Judges one call that no hook looks at. A promise only when a tool's own schema, or its approval, must be awaited. */
export function gateCall(request: GateRequest, prepared: PreparedPublication, bounds: GateBounds): Gated | Promise<Gated> {
  const opened = openCall(request, prepared, bounds)
  if ('type' in opened) return opened
  const checked = checkArguments(opened)
  return isPromise(checked) ? checked.then((result) => judgeChecked(opened, result)) : judgeChecked(opened, checked)
}

/** A call whose tool is known and whose arguments can be read, or why it does not run. Asks no code of anybody. */
export function openCall(request: GateRequest, prepared: PreparedPublication, bounds: GateBounds): Gating | Gated {
  const { maxCalls, last, secrets } = bounds
  const descriptor = prepared.tools.get(request.tool)
  const leaked = secrets.size === 0 ? NONE : namesInCall(request, secrets)
  if (leaked.length > 0) return refuseSecrets(request, descriptor ?? null, leaked, secrets)
  if (!descriptor) return toGated(request, null, null, blocked('unknown_tool', unknownTool(request.tool, prepared)))
  const parsed = parseArguments(request.input)
  if (!parsed.ok) return toGated(request, descriptor, null, blocked('arguments', parsed.error))
  if (last) return toGated(request, descriptor, parsed.value, blocked('limit', LAST_TURN))
  if (request.position >= maxCalls) {
    const reason = `Not run: at most ${maxCalls} calls fit into one answer. Ask again for what is missing.`
    return toGated(request, descriptor, parsed.value, blocked('limit', reason))
  }
  const { asked } = bounds
  return { request, prepared, bounds, descriptor, args: parsed.value, ...(asked ? { hooked: asked } : {}) }
}

/** Whether the arguments fit the tool's schema. */
export function checkArguments({ request, prepared, args }: Gating): CheckedArguments | Promise<CheckedArguments> {
  const check = prepared.inputs.get(request.tool)
  return check ? check(args) : { ok: true, input: args }
}

/** What hooks ask for. */
export interface HookedAsks {
  readonly asks: readonly string[]
  readonly approvals: readonly Approval[]
  readonly isModified: boolean
}

/** A call whose tool is known and whose arguments can be read. */
export interface Gating {
  readonly request: GateRequest
  readonly prepared: PreparedPublication
  readonly bounds: GateBounds
  readonly descriptor: ToolDescriptor
  readonly args: JsonObject
  /** Present when hooks have looked at it. */
  readonly hooked?: HookedAsks
}

/** Judges a call by what is known of its arguments. */
export function judgeChecked(gating: Gating, checked: CheckedArguments): Gated | Promise<Gated> {
  const { request, bounds, descriptor, args, prepared } = gating
  const say = (judgement: Judgement): Gated => toGated(request, descriptor, args, judgement)
  if (!checked.ok) return say(blocked('schema', `The arguments do not fit the tool's schema:\n${bounds.secrets.redact(checked.errors)}`))
  if (descriptor.identity === TASK_COMPLETE) return say(judgeCompletion(gating))
  const rules = prepared.rules?.({ identity: descriptor.identity, name: descriptor.name, arguments: args }) ?? null
  if (rules?.verdict === 'deny') return say(blocked('rule', `Not run: ${describe(rules)} forbids this call.`))
  if (!allowsTool(bounds.grants, descriptor.identity)) {
    return say(blocked('grants', `Not run: this agent may not use the tool ${cutText(descriptor.name, MAX_INPUT_SHOWN)}.`))
  }
  const needs = prepared.needs.get(descriptor.name)
  const lacking = needs === undefined ? undefined : findLacking(bounds.grants, needs)
  if (lacking !== undefined)
    return say(blocked('grants', `Not run: the tool works with ${lacking}, of which this agent is granted nothing.`))
  // A person sees it in any case.
  if (descriptor.identity === ASK_USER) return say(gating.hooked ? { ...QUESTION, asks: ['question', ...gating.hooked.asks] } : QUESTION)
  const approval = approvalOf(gating, checked.input)
  if (isPromise(approval)) return approval.then((value) => say(judgeApproval(gating, rules, value)))
  return say(judgeApproval(gating, rules, approval))
}

const COMPLETE: Judgement = { verdict: 'respond', by: 'task_complete', result: { value: 'The task is complete.' } }
const QUESTION: Judgement = { verdict: 'hold', by: 'question', asks: ['question'] }

function describe({ denies }: RuleVerdict): string {
  const [first] = denies
  if (first === undefined) return 'a rule'
  const author = first.layer === 'host' ? 'host' : first.layer.startsWith('plugin:') ? `plugin ${first.layer.slice(7)}` : 'definition'
  return `a rule of the ${author} for ${cutText(first.rule.tool, MAX_INPUT_SHOWN)}`
}

/** What the tool and its definition say about these arguments. Neither makes less of what the other asks for. */
function approvalOf({ request, prepared, descriptor }: Gating, input: unknown): Approval | Promise<Approval> {
  const { approval: asked = false, name } = descriptor
  const judge = prepared.approvals.get(name)
  if (judge === undefined) return asked
  const { thread, run, call } = request
  const said = judge(input, { thread, run, call })
  return isPromise(said) ? said.then((approval) => strictestApproval([asked, approval])) : strictestApproval([asked, said])
}

/** Only hooks can have it held. */
function judgeCompletion(gating: Gating): Judgement {
  const judgement = gating.hooked ? judgeApproval(gating, null, false) : RUN
  return judgement.verdict === 'run' ? COMPLETE : judgement
}

function judgeApproval({ request, bounds, descriptor, args, hooked }: Gating, rules: RuleVerdict | null, approval: Approval): Judgement {
  const asked = [...(rules === null ? NONE : rules.asks.map(({ id }) => id)), ...(approval === false ? NONE : ['tool'])]
  const asks = hooked === undefined ? asked : [...hooked.asks, ...asked]
  // Nobody has approved what a hook makes of the arguments of whoever approved.
  const isChanged = hooked?.isModified === true && request.again !== undefined
  if (asks.length === 0 && !isChanged) return RUN
  const asking: Asking = {
    asks,
    approval: hooked === undefined ? approval : strictestApproval([approval, ...hooked.approvals]),
    digest: digestOf(request, descriptor, args),
    tool: descriptor,
    remembered: bounds.remembered,
    ...(request.again ? { again: isChanged ? { ...request.again, digest: '' } : request.again } : {})
  }
  return judgeAsks(asking)
}

const RUN: Judgement = { verdict: 'run', by: 'schema' }

function namesInCall({ tool, input }: GateRequest, secrets: SecretRegistry): readonly string[] {
  const parsed = parseArguments(input)
  return secrets.namesIn(`${tool}\n${input}\n${parsed.ok ? JSON.stringify(parsed.value) : ''}`)
}

/** Decided at once, in the commit of the answer: what is kept of the arguments could not be judged again. */
function refuseSecrets(request: GateRequest, descriptor: ToolDescriptor | null, names: readonly string[], secrets: SecretRegistry): Gated {
  const input = redactInput(request.input, secrets)
  const parsed = parseArguments(input)
  const reason = `Not run: the call holds a secret (${names.join(', ')}). Secrets do not pass through a model: leave it out.`
  const kept = { ...request, tool: secrets.redact(request.tool), input }
  return toGated(kept, descriptor, parsed.ok ? parsed.value : null, blocked('secret_in_arguments', reason))
}

/** The verdict as the fact that it is recorded as. */
export function toGated(request: GateRequest, descriptor: ToolDescriptor | null, args: JsonObject | null, judgement: Judgement): Gated {
  return {
    v: 1,
    type: 'call.gated',
    run: request.run,
    scope: request.scope,
    call: request.call,
    asks: NONE,
    arguments: { inline: args },
    digest: digestOf(request, descriptor, args),
    ...judgement
  }
}

/** What a call is known by, as it stands now. */
export function digestOf(request: GateRequest, descriptor: ToolDescriptor | null, args: JsonObject | null): Digest {
  return toCallDigest(request.thread, descriptor, { tool: request.tool, arguments: args, input: request.input })
}
