import type { RuntimeOptions } from '../src/contracts/api.ts'
import type { Hook } from '../src/contracts/hook.ts'
import type { Store } from '../src/contracts/store.ts'
import type { ScriptTurn } from '../src/models/script-turn.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { Ledger } from './approval-kit.ts'
import { pay, runtimeOf } from './approval-kit.ts'
import { agentOf, factsOf, recordingModel, within } from './runtime-kit.ts'

type After = NonNullable<Hook['afterInference']>

/** A hook that looks at answers. */
export const after = (name: string, afterInference: After, more: Partial<Hook> = {}): Hook => ({ name, afterInference, ...more })
/** Has this seen in place of any answer. */
export const say =
  (text: string): After =>
  () => ({ do: 'modify', text })
/** An answer that pays. */
export const PAYS: ScriptTurn = { text: 'I pay 12.', toolCalls: [{ name: 'pay', arguments: { amount: 12 } }] }

/** What is answered, and who looks. */
export interface Setting {
  readonly hooks: readonly Hook[]
  /** What the model answers, one after another; the last one again and again. */
  readonly answers?: readonly ScriptTurn[]
  readonly options?: Partial<RuntimeOptions>
  readonly agent?: Parameters<typeof agentOf>[0]
  readonly store?: Store
}

/** A thread whose answers hooks look at. */
export async function asking({ hooks, answers = [PAYS, { text: 'done' }], options = {}, agent = {}, store = memoryStore() }: Setting) {
  const ledger: Ledger = { ran: [] }
  const model = recordingModel(({ answers: count }) => answers[Math.min(count, answers.length - 1)] ?? {})
  const runtime = runtimeOf(store, { tools: [pay(ledger, { approval: false })], models: { main: model }, hooks: [...hooks], ...options })
  const run = await runtime.start(agentOf({ tools: ['pay'], ...agent }), { input: 'go' })
  return { ledger, model, runtime, run, store }
}

/** The same, to its end. */
export async function asked(setting: Setting) {
  const made = await asking(setting)
  const result = await within(made.run.settled())
  const facts = await factsOf(made.run)
  const records = facts.flatMap((fact) => (fact.type === 'hook.recorded' ? [`${fact.hook} ${fact.did}`] : []))
  return { ...made, result, facts, records }
}
