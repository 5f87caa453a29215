import { inlineOf } from '../state/body.ts'
import type { Call } from '../state/state.ts'
import type { EffectPorts } from './ports.ts'

/** What a tool takes: the gated arguments, as its schema gives them. Throws when they do not fit it any more. */
export async function readCallInput(call: Call, publication: string, ports: Pick<EffectPorts, 'prepared'>): Promise<unknown> {
  const args = call.arguments ? inlineOf(call.arguments) : {}
  const { inputs } = await ports.prepared(publication)
  const check = inputs.get(call.tool)?.(args) ?? { ok: true, input: args }
  const checked = check instanceof Promise ? await check : check
  if (!checked.ok) throw new Error(`The arguments do not fit the tool's schema: ${checked.errors}`)
  return checked.input
}
