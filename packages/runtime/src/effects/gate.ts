// Keeps I6: the digest names tool, version, arguments and thread; only that is run. Schema checks come first and never reach a tool.
import type { FactOf } from '../contracts/fact.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import type { CheckedArguments } from '../manifest/tool-arguments.ts'
import { parseArguments } from '../state/arguments.ts'
import { TASK_COMPLETE } from '../state/evolve-call.ts'
import { digestJson } from '../util/canonical.ts'
import { nearest } from '../manifest/near-miss.ts'
import { cutText } from '../util/well-formed.ts'
import type { PreparedPublication } from './prepare.ts'

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

type Gated = FactOf<'call.gated'>

const MAX_REASON_LENGTH = 2_000

/** Judges one call. A promise only when a tool's own schema must be awaited. */
export function gateCall(request: GateRequest, prepared: PreparedPublication, maxCalls: number): Gated | Promise<Gated> {
  const descriptor = prepared.definition.tools.find((each) => each.name === request.tool)
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
  const judge = (result: CheckedArguments): Gated => toGated(request, descriptor, parsed.value, judgeChecked(descriptor, result))
  return checked instanceof Promise ? checked.then(judge) : judge(checked)
}

type Judgement = Pick<Gated, 'verdict' | 'by' | 'result'>

function judgeChecked(descriptor: ToolDescriptor, checked: CheckedArguments): Judgement {
  if (!checked.ok) return block('schema', `The arguments do not fit the tool's schema:\n${checked.errors}`)
  if (descriptor.identity !== TASK_COMPLETE) return { verdict: 'run', by: 'schema' }
  return { verdict: 'respond', by: 'task_complete', result: { value: 'The task is complete.' } }
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
