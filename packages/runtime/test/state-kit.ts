import { z } from 'zod'
import type { AgentDefinition, RuntimeOptions } from '../src/contracts/api.ts'
import type { Plugin, PluginParts } from '../src/contracts/plugin.ts'
import type { Store } from '../src/contracts/store.ts'
import type { ToolContext } from '../src/contracts/tool.ts'
import { defineState } from '../src/define-plugin.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { caller, runtimeOf } from './approval-kit.ts'
import { pluginOf } from './plugin-kit.ts'
import { agentOf, resultsIn, toolOf, within } from './runtime-kit.ts'

/** A number that is added to. */
export const COUNT = defineState('count', { schema: z.int(), initial: 0 })
export const LIST = defineState('list', { schema: z.array(z.string()), initial: [] })
export const TEXT = defineState('text', { schema: z.string(), initial: '' })
export const BOUNDS = { tools: ['*'], hooks: ['beforeToolCall', 'afterToolCall'], state: ['count', 'list', 'text', 'when'] } as const
export const STATE = [COUNT, LIST, TEXT]

/** What the tool of `keeper` does. */
export type Act = (context: ToolContext, input: { readonly [key: string]: unknown }) => unknown

/** A plugin with one tool, `act`, that works with state. */
export const keeper = (act: Act, more: PluginParts = {}, name = 'keeper'): Plugin =>
  pluginOf(name, BOUNDS, {
    tools: [toolOf('act', (input, context) => act(context, input as { [key: string]: unknown }))],
    state: STATE,
    ...more
  })

/** What a thread is made with. */
export interface Setting {
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[]
  readonly plugins: readonly Plugin[]
  readonly agent?: Partial<AgentDefinition>
  readonly options?: Partial<RuntimeOptions>
  readonly store?: Store
}

/** One call of it. */
export const ONCE = [{ name: 'act', arguments: {} }]

/** A thread that makes these calls once. */
export async function acting({ calls = ONCE, plugins, agent = {}, options = {}, store = memoryStore() }: Setting) {
  const model = caller(...calls)
  const runtime = runtimeOf(store, { models: { main: model }, plugins, ...options })
  const run = await runtime.start(agentOf({ plugins: plugins.map(({ name }) => name), ...agent }), { input: 'go' })
  return { run, runtime, model, store }
}

/** The same, to its rest. */
export async function acted(setting: Setting) {
  const made = await acting(setting)
  const result = await within(made.run.settled())
  return { ...made, result, told: [...resultsIn(made.model.prompts[1]).values()], state: await made.run.pluginState() }
}

/** Adds one. */
export function add({ state }: Pick<ToolContext, 'state'>): null {
  state.set(COUNT, state.get(COUNT) + 1)
  return null
}
