import type { CheckedArguments } from '../manifest/tool-arguments.ts'
import { inlineOf } from '../state/body.ts'
import type { Call } from '../state/state.ts'
import { isPromise } from '../util/promise.ts'
import type { PreparedPublication } from './prepare.ts'

/** What a tool takes: the gated arguments, as its schema gives them; a promise only where that is awaited. Throws when they do not fit it any more. */
export function readCallInput(call: Call, { inputs }: Pick<PreparedPublication, 'inputs'>): unknown {
  const args = call.arguments ? inlineOf(call.arguments) : {}
  const check = inputs.get(call.tool)?.(args) ?? { ok: true, input: args }
  return isPromise(check) ? check.then(toInput) : toInput(check)
}

function toInput(checked: CheckedArguments): unknown {
  if (checked.ok) return checked.input
  throw new Error(`The arguments do not fit the tool's schema: ${checked.errors}`)
}
