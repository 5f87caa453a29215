// Keeps I6: the digest names tool, version, arguments and thread; only that is run. Schema checks come first and never reach a tool.
import type { FactOf } from '../contracts/fact.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import type { CheckedArguments } from '../manifest/tool-arguments.ts'
import { parseArguments } from '../state/arguments.ts'
import { TASK_COMPLETE } from '../state/evolve-call.ts'
import { digestJson } from '../util/canonical.ts'
import { nearest } from '../util/near-miss.ts'
import { cutText } from '../util/well-formed.ts'
import type { PreparedPublication } from './prepare.ts'
import { redactInput } from './redact-parts.ts'

/** A call as the gate is asked about it. */
export interface GateRequest {
  readonly thread: string
  readonly run: string
  readonly scope: string
  readonly call: string
  readonly tool: string
  readonly input: string
  /** Its place in the response, from 0. */
  readonly position: number
}

/** What the gate holds every call to, beside its tool. */
export interface GateBounds {
  /** How many calls of one answer may run. */
  readonly maxCalls: number
  readonly secrets: SecretRegistry
}

type Gated = FactOf<'call.gated'>

const MAX_REASON_LENGTH = 2_000
const NONE: readonly string[] = []

/** Judges one call. A promise only when a tool's own schema must be awaited. */
export function gateCall(request: GateRequest, prepared: PreparedPublication, bounds: GateBounds): Gated | Promise<Gated> {
  const { maxCalls, secrets } = bounds
  const descriptor = prepared.definition.tools.find((each) => each.name === request.tool)
  const leaked = secrets.size === 0 ? NONE : namesInCall(request, secrets)
  if (leaked.length > 0) return refuseSecrets(request, descriptor ?? null, leaked, secrets)
  if (!descriptor) return toGated(request, null, null, block('unknown_tool', unknownTool(request.tool, prepared)))
  const parsed = parseArguments(request.input)
  if (!parsed.ok) return toGated(request, descriptor, null, block('arguments', parsed.error))
  if (request.position >= maxCalls) {
    return toGated(
      request,
      descriptor,
      parsed.value,
      block('limit', `Not run: at most ${maxCalls} calls fit into one answer. Ask again for what is missing.`)
    )
  }
  const check = prepared.inputs.get(request.tool)
  const checked = check ? check(parsed.value) : { ok: true as const, input: parsed.value }
  const judge = (result: CheckedArguments): Gated => toGated(request, descriptor, parsed.value, judgeChecked(descriptor, result, secrets))
  return checked instanceof Promise ? checked.then(judge) : judge(checked)
}

type Judgement = Pick<Gated, 'verdict' | 'by' | 'result'>

function judgeChecked(descriptor: ToolDescriptor, checked: CheckedArguments, secrets: SecretRegistry): Judgement {
  if (!checked.ok) return block('schema', `The arguments do not fit the tool's schema:\n${secrets.redact(checked.errors)}`)
  if (descriptor.identity !== TASK_COMPLETE) return { verdict: 'run', by: 'schema' }
  return { verdict: 'respond', by: 'task_complete', result: { value: 'The task is complete.' } }
}

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
  return toGated(kept, descriptor, parsed.ok ? parsed.value : null, block('secret_in_arguments', reason))
}

function block(by: string, reason: string): Judgement {
  return { verdict: 'block', by, result: { error: cutText(reason, MAX_REASON_LENGTH) } }
}

function unknownTool(name: string, prepared: PreparedPublication): string {
  const names = prepared.definition.tools.map((tool) => tool.name)
  const near = nearest(name, names, 3)
  const offer = near.length > 0 ? near : names.slice(0, 20)
  const hint = offer.length === 0 ? 'There are no tools.' : `Available: ${offer.join(', ')}.`
  return `There is no tool named "${cutText(name, 100)}". ${hint}`
}

function toGated(request: GateRequest, descriptor: ToolDescriptor | null, args: JsonObject | null, judgement: Judgement): Gated {
  return {
    v: 1,
    type: 'call.gated',
    run: request.run,
    scope: request.scope,
    call: request.call,
    asks: [],
    arguments: { inline: args },
    digest: digestJson([descriptor?.identity ?? request.tool, descriptor?.version ?? '', args ?? request.input, request.thread]),
    ...judgement
  }
}
