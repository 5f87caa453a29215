import type { AgentDefinition, RuntimeOptions, StartOptions } from '../src/contracts/api.ts'
import type { InitialPrompt } from '../src/contracts/initial-prompt.ts'
import type { Ledger } from './approval-kit.ts'
import { look, pay } from './approval-kit.ts'
import { agentOf, recordingModel, runtimeFor, within } from './runtime-kit.ts'

/** A model that is done at once. */
export const done = () => recordingModel(() => ({ text: 'done' }))
/** A call of the tool that pays. */
export const paying = (amount: number) => ({ tool: 'pay', arguments: { amount } })
/** A call of the tool that looks. */
export const LOOK = { tool: 'look', arguments: {} }

/** What a thread is begun with beside its initial prompts. */
export interface Setting extends Partial<RuntimeOptions> {
  readonly agent?: Partial<AgentDefinition>
  readonly start?: StartOptions
  readonly approval?: boolean
}

/** A thread that begins with these prompts and has `look` and `pay`, which is held unless it says otherwise. */
export async function begin(
  initialPrompts: readonly InitialPrompt[],
  { agent = {}, start = {}, approval = true, ...options }: Setting = {}
) {
  const ledger: Ledger = { ran: [] }
  const model = done()
  const runtime = runtimeFor(model, { tools: [look, pay(ledger, { approval })], ...options })
  const definition = agentOf({ tools: ['look', 'pay', 'ask_user'], initialPrompts, ...agent })
  const run = await runtime.start(definition, { input: 'the task', ...start })
  return { ledger, model, runtime, run, settled: () => within(run.settled()) }
}
