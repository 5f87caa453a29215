import type { Plugin, PluginEntry, PublishedPlugin } from '../contracts/plugin.ts'
import { nearest } from '../util/near-miss.ts'
import type { AgentFault } from './agent-fault.ts'
import type { MadePlugin } from './make-plugin.ts'
import { makePlugin } from './make-plugin.ts'

/** The plugins of this process. */
export interface PluginSource {
  readonly names: readonly string[]
  find(name: string): Plugin | undefined
}

/** The plugins of a definition in its order, made with its options, or what is wrong with them. */
export type ResolvedPlugins =
  | { readonly ok: true; readonly made: readonly MadePlugin[] }
  | { readonly ok: false; readonly faults: readonly AgentFault[] }

/** Resolves the plugins that a definition names, among those that the host registers. */
export async function resolvePlugins(
  plugins: readonly (string | PluginEntry | PublishedPlugin)[],
  source: PluginSource
): Promise<ResolvedPlugins> {
  const entries: readonly (PluginEntry & Pick<PublishedPlugin, 'state'>)[] = plugins.map((entry) =>
    typeof entry === 'string' ? { name: entry } : entry
  )
  const names = entries.map(({ name }) => name)
  const faults: AgentFault[] = []
  const made: MadePlugin[] = []
  for (const [index, entry] of entries.entries()) {
    const { name, options } = entry
    const path = ['plugins', index]
    const plugin = source.find(name)
    if (names.indexOf(name) < index) faults.push({ code: 'duplicate', path, ...TWICE(name), related: ['plugins', names.indexOf(name)] })
    else if (plugin === undefined) faults.push({ path, ...toUnknown(name, source.names) })
    else {
      const making = await makePlugin(plugin, options, entry)
      if (making.ok) made.push(making.made)
      else faults.push(...making.faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] })))
    }
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, made }
}

const TWICE = (name: string) => ({ message: `the plugin ${name} is named twice`, expected: 'each plugin once' })

function toUnknown(name: string, known: readonly string[]): Omit<AgentFault, 'path'> {
  const [nearMiss] = nearest(name, known)
  const expected = known.length === 0 ? 'a plugin that the host registers; it registers none' : `one of ${known.join(', ')}`
  const message = `no plugin "${name.slice(0, 100)}" is registered`
  return { code: 'invalid', message, expected, ...(nearMiss === undefined ? {} : { nearMiss }) }
}
