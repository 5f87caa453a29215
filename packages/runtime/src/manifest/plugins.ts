// What makes plugins is loaded with the first definition that names one: few do. AGENTS.md lists this file.
import type { PluginEntry, PublishedPlugin } from '../contracts/plugin.ts'
import { once } from './libraries.ts'
import type { PluginSource, ResolvedPlugins } from './resolve-plugins.ts'

const loadPlugins = once(() => import('./resolve-plugins.ts'))

/** Resolves the plugins that a definition names, among those that the host registers. */
export async function resolvePlugins(
  plugins: readonly (string | PluginEntry | PublishedPlugin)[],
  source: PluginSource
): Promise<ResolvedPlugins> {
  if (plugins.length === 0) return { ok: true, made: [] }
  return (await loadPlugins()).resolvePlugins(plugins, source)
}
