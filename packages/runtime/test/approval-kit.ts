import { onTestFinished } from 'vitest'
import type { AgentDefinition, Runtime, RuntimeOptions } from '../src/contracts/api.ts'
import type { Store } from '../src/contracts/store.ts'
import type { Tool } from '../src/contracts/tool.ts'
import { createRuntime } from '../src/runtime.ts'
import type { RecordingModel } from './runtime-kit.ts'
import { agentOf, recordingModel, toolOf, within } from './runtime-kit.ts'

/** What happened outside: what each call was run with. */
export interface Ledger {
  readonly ran: { readonly tool: string; readonly input: unknown; readonly key: string }[]
}

/** A tool that must not happen twice, and is held unless it says otherwise. */
export const pay = (ledger: Ledger, more: Pick<Tool, 'approval'> = {}): Tool<never> =>
  toolOf(
    'pay',
    (input, context) => {
      ledger.ran.push({ tool: 'pay', input, key: context.idempotencyKey })
      return `paid ${JSON.stringify(input)}`
    },
    {
      effect: 'once',
      input: {
        type: 'object',
        properties: { amount: { type: 'number', minimum: 1 } },
        required: ['amount'],
        additionalProperties: false
      },
      approval: true,
      ...more
    }
  )

/** A tool that only looks. */
export const look: Tool<never> = toolOf('look', () => 'seen', { effect: 'read' })

/** A model that makes these calls once and then says that it is done. */
export const caller = (...calls: readonly { readonly name: string; readonly arguments: object }[]): RecordingModel =>
  recordingModel(({ answers }) => (answers === 0 ? { toolCalls: calls as never } : { text: 'done' }))

/** A runtime that is closed with the test. */
export function runtimeOf(store: Store, options: Partial<RuntimeOptions>): Runtime {
  const runtime = createRuntime({ store, ...options })
  onTestFinished(() => runtime.close({ graceMs: 0 }))
  return runtime
}

/** An agent with these tools. */
export const agent = (...tools: string[]): AgentDefinition => agentOf({ tools })

/** What a runtime over a ledger is made with whose model pays 12 once. */
export const paying = (ledger: Ledger) => ({ tools: [pay(ledger)], models: { main: caller({ name: 'pay', arguments: { amount: 12 } }) } })

/** A thread with a payment that is held, whose process has let go of it. */
export async function leftHeld(store: Store, ledger: Ledger): Promise<{ readonly thread: string; readonly wait: string }> {
  const runtime = createRuntime({ store, ...paying(ledger) })
  const run = await runtime.start(agent('pay'), { input: 'go' })
  const wait = (await within(run.settled())).waits[0]?.id ?? ''
  await runtime.close()
  return { thread: run.thread, wait }
}
