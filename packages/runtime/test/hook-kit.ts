import type { RuntimeOptions } from '../src/contracts/api.ts'
import type { Hook } from '../src/contracts/hook.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import type { Ledger } from './approval-kit.ts'
import { caller, look, pay, runtimeOf } from './approval-kit.ts'
import { agentOf, factsOf, resultsIn, within } from './runtime-kit.ts'

/** A hook that looks at calls before they run. */
export const before = (name: string, beforeToolCall: NonNullable<Hook['beforeToolCall']>, more: Partial<Hook> = {}): Hook => ({
  name,
  beforeToolCall,
  ...more
})
/** Adds to the amount. */
export const add = (amount: number): NonNullable<Hook['beforeToolCall']> => {
  return (call) => ({ do: 'modify', arguments: { amount: Number(call.arguments['amount']) + amount } })
}
/** Sets the amount. */
export const set =
  (amount: number): NonNullable<Hook['beforeToolCall']> =>
  () => ({ do: 'modify', arguments: { amount } })

/** What a payment is made with. */
export interface Setting {
  readonly options?: Partial<RuntimeOptions>
  readonly hooks?: Hook[]
  readonly named?: (string | { name: string; options: { [key: string]: string } })[]
  readonly registered?: Hook[]
  readonly store?: Store
}

/** A thread that wants to pay 12 once, with a tool that is not held. */
export async function paying({ options = {}, hooks = [], named = [], registered = [], store = memoryStore() }: Setting) {
  const ledger: Ledger = { ran: [] }
  const model = caller({ name: 'pay', arguments: { amount: 12 } })
  const tools = [pay(ledger, { approval: false }), look]
  const runtime = runtimeOf(store, { tools, models: { main: model }, hooks, registeredHooks: registered, ...options })
  const run = await runtime.start(agentOf({ tools: ['pay'], ...(named.length > 0 ? { hooks: named } : {}) }), { input: 'go' })
  return { ledger, model, runtime, run, store }
}

/** The same, to its end. */
export async function paid(setting: Setting) {
  const made = await paying(setting)
  const result = await within(made.run.settled())
  const facts = await factsOf(made.run)
  const records = facts.flatMap((fact) => (fact.type === 'hook.recorded' ? [`${fact.hook} ${fact.did}`] : []))
  const [gated] = facts.flatMap((fact) => (fact.type === 'call.gated' ? [fact] : []))
  return { ...made, result, facts, records, gated, told: [...resultsIn(made.model.prompts[1]).values()] }
}
