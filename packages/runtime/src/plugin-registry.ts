import { HoldfastError } from './contracts/errors.ts'
import type { Plugin } from './contracts/plugin.ts'
import type { ToolNeeds } from './contracts/tool.ts'
import { checkPlugin } from './manifest/plugin-declaration.ts'
import type { PluginSource } from './manifest/resolve-plugins.ts'

/** The plugins of a runtime. */
export interface PluginRegistry extends PluginSource {
  /** Their names, as what a thread may need. */
  readonly needs: readonly string[]
  /** What of the machine the tools of each need at most. */
  readonly needed: readonly { readonly needs: ToolNeeds }[]
}

/** Throws `invalid_input` for a plugin that is none, or for two of one name. */
export function createPluginRegistry(plugins: readonly Plugin[] = []): PluginRegistry {
  const known = new Map<string, Plugin>()
  for (const plugin of plugins) {
    checkPlugin(plugin)
    if (known.has(plugin.name)) {
      throw new HoldfastError('invalid_input', `two plugins are named "${plugin.name}": give each a name of its own`)
    }
    known.set(plugin.name, plugin)
  }
  const names = [...known.keys()]
  return {
    names,
    find: (name) => known.get(name),
    needs: names.map((name) => `plugin:${name}`),
    needed: plugins.map(({ bounds }) => ({ needs: bounds.grants ?? {} }))
  }
}
