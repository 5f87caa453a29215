import type { Hook } from '../contracts/hook.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { Definition } from '../contracts/publication.ts'
import type { PluginOwner } from '../manifest/plugin-owner.ts'

/** The hooks of this process. */
export interface HookSource {
  /** Those that look at every thread, in their order. */
  readonly host: readonly Hook[]
  /** One that definitions may name. */
  find(name: string): Hook | undefined
  /** Those of the plugins of a definition, which look before those that it names. */
  readonly plugins?: readonly PreparedHook[]
}

/** A hook with what its definition tells it. */
export interface PreparedHook {
  readonly hook: Hook
  readonly options?: JsonObject
  /** The plugin that it is of. */
  readonly owner?: PluginOwner
}

/** The hooks that look at one thing, those of the host around those of the definition. */
export interface HookLayers {
  readonly host: readonly PreparedHook[]
  readonly definition: readonly PreparedHook[]
}

/** What hooks can look at. */
export type HookPoint = Exclude<keyof Hook, 'name' | 'timeoutMs'>

/** The hooks of a publication that look at this, or null: then nothing is built for them. */
export function prepareHooks({ hooks = [] }: Pick<Definition, 'hooks'>, source: HookSource, point: HookPoint): HookLayers | null {
  const host = source.host.filter((hook) => hook[point] !== undefined).map((hook) => ({ hook }))
  const named = hooks.map(({ name, ...told }) => ({ hook: source.find(name) ?? toAbsent(name), ...told }))
  const definition: readonly PreparedHook[] = [...(source.plugins ?? []), ...named].filter(({ hook }) => hook[point] !== undefined)
  return host.length + definition.length === 0 ? null : { host, definition }
}

/** A thread whose hook is not here is not driven here; were it all the same, the hook would refuse (I9). */
function toAbsent(name: string): Hook {
  const refuse = (): never => {
    throw new Error('no hook of this name is registered here')
  }
  return { name, beforeToolCall: refuse, onMessage: refuse, beforeInference: refuse, afterInference: refuse, afterToolCall: refuse }
}
