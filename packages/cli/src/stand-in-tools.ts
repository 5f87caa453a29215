import type { Definition, Hook, Plugin, PluginHookPoint, PublishedPlugin, Tool } from '@holdfast/runtime'
import type { ModuleCode } from './tools-module.ts'

/** A thread whose run is to be ended. */
export interface EndedThread {
  readonly needs: readonly string[]
  readonly definition: Pick<Definition, 'tools' | 'plugins'>
}

/**
 * Code in place of that which a thread needs and nobody has any more, for a drive that ends its run: that starts no call. A tool that is called all
 * the same says what it is. Its plugins are replaced in any case: one that has changed would keep the run from its end.
 */
export function withStandIns(code: ModuleCode, { needs, definition }: EndedThread): ModuleCode {
  const names = new Set([
    ...code.tools.map(({ origin, name }) => `${origin === 'os' ? OF_RUNTIME : OF_HOST}${name}`),
    ...code.registeredHooks.map(({ name }) => `${OF_HOOKS}${name}`)
  ])
  const missing = needs.filter((need) => !names.has(need))
  const { plugins = [], tools } = definition
  return {
    tools: [...code.tools, ...missing.filter((need) => need.startsWith(OF_HOST)).map(createToolOfNeed)],
    hooks: code.hooks,
    registeredHooks: [
      ...code.registeredHooks,
      ...missing.filter((need) => need.startsWith(OF_HOOKS)).map((need) => createHook(need.slice(OF_HOOKS.length), POINTS))
    ],
    plugins: plugins.map((plugin) => createPlugin(plugin, tools))
  }
}

const OF_HOST = 'tool:'
/** Those that come with the runtime. */
const OF_RUNTIME = 'tool:os:'
const OF_HOOKS = 'hook:'
const POINTS = ['beforeToolCall', 'afterToolCall'] as const

function createToolOfNeed(need: string): Tool<never> {
  const isOfRuntime = need.startsWith(OF_RUNTIME)
  const name = need.slice((isOfRuntime ? OF_RUNTIME : OF_HOST).length)
  return { ...createTool(name), ...(isOfRuntime ? { origin: 'os' } : {}) }
}

function createTool(name: string): Tool<never> {
  return {
    name,
    description: 'Stands in for a tool that is not there.',
    input: { kind: 'json', jsonSchema: { type: 'object' } },
    effect: 'once',
    parallelSafe: false,
    execute: () => {
      throw new Error(`the tool ${name} is not there: nothing was done`)
    }
  }
}

/** A hook that lets nothing pass. */
function createHook(name: string, on: readonly string[]): Hook {
  const refuse = (): never => {
    throw new Error(`the hook ${name} is not there`)
  }
  return { name, ...Object.fromEntries(on.map((point) => [point, refuse])) }
}

function createPlugin({ name, options, hooks = [], state = [] }: PublishedPlugin, tools: Definition['tools']): Plugin {
  const prefix = `plugin:${name}/`
  const own = tools.flatMap(({ identity }) => (identity.startsWith(prefix) ? [createTool(identity.slice(prefix.length))] : []))
  return {
    name,
    ...(options === undefined ? {} : { options: { kind: 'json', jsonSchema: {} } }),
    bounds: {
      tools: ['*'],
      hooks: [...new Set(hooks.flatMap(({ on }) => on as readonly PluginHookPoint[]))],
      state: state.map(({ key }) => key)
    },
    create: () => ({
      tools: own,
      hooks: hooks.map((hook) => createHook(hook.name, hook.on)),
      state: state.map(({ key, initial }) => ({ key, initial, schema: { kind: 'json', jsonSchema: {} } }))
    })
  }
}
