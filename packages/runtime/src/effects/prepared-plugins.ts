// Keeps I8, I9: a plugin that gives less here than it was published with is not run; its rules hold in both forms.
import { HoldfastError } from '../contracts/errors.ts'
import type { PublishedPlugin } from '../contracts/plugin.ts'
import type { Definition } from '../contracts/publication.ts'
import type { Tool } from '../contracts/tool.ts'
import type { RuleLayer } from '../grants/rule-layers.ts'
import type { MadePlugin } from '../manifest/make-plugin.ts'
import type { PluginSource } from '../manifest/resolve-plugins.ts'
import { resolvePlugins } from '../manifest/plugins.ts'
import { identityOf } from '../manifest/tool-registry.ts'
import type { PreparedHook } from './prepared-hooks.ts'

/** The plugins of a publication as they are here. */
export interface PreparedPlugins {
  /** Their tools by identity. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Their hooks, in the order of the definition. */
  readonly hooks: readonly PreparedHook[]
  /** Their rules: those of today beside those that were published. */
  readonly rules: readonly RuleLayer[]
}

/** Makes the plugins of a publication; null when it has none. Throws `plugin_changed` when one is missing here, or is not any more what was published. */
export async function preparePlugins({ plugins = [], tools }: Definition, source: PluginSource): Promise<PreparedPlugins | null> {
  if (plugins.length === 0) return null
  const resolved = await resolvePlugins(plugins, source)
  if (!resolved.ok)
    throw refuse(
      plugins,
      resolved.faults.map(({ message }) => message)
    )
  const { made } = resolved
  const code = new Map(made.flatMap((plugin) => plugin.tools.map((tool) => [identityOf(tool), tool] as const)))
  const lacking = [
    ...tools.flatMap(({ identity }) =>
      identity.startsWith('plugin:') && !code.has(identity) ? [`there is no tool ${identity} here`] : []
    ),
    ...plugins.flatMap((frozen, index) => findLacking(frozen, made[index]))
  ]
  if (lacking.length > 0) throw refuse(plugins, lacking)
  return {
    tools: code,
    hooks: made.flatMap(({ hooks, owner }) => hooks.map((hook) => ({ hook, owner }))),
    rules: plugins.flatMap(({ name, permissions = [] }, index) => {
      const rules = [...permissions, ...(made[index]?.published.permissions ?? [])]
      return rules.length === 0 ? [] : [{ id: `plugin:${name}`, rules }]
    })
  }
}

/** What a plugin had when it was published, and has not here. */
function findLacking({ name, hooks = [], state = [] }: PublishedPlugin, made: MadePlugin | undefined): readonly string[] {
  const here = made?.published
  const points = new Set(here?.hooks?.flatMap((hook) => hook.on.map((point) => `${hook.name} ${point}`)))
  const keys = new Set(here?.state?.map(({ key }) => key))
  return [
    ...hooks.flatMap((hook) =>
      hook.on.filter((point) => !points.has(`${hook.name} ${point}`)).map((point) => `its hook ${hook.name} (${point})`)
    ),
    ...state.filter(({ key }) => !keys.has(key)).map(({ key }) => `its state ${key}`)
  ].map((what) => `the plugin ${name} is here without ${what}`)
}

function refuse(plugins: readonly PublishedPlugin[], reasons: readonly string[]): HoldfastError {
  const message = `The plugins of the thread are not here as they were published: ${reasons.slice(0, 10).join('; ').slice(0, 2_000)}.`
  const told = reasons.slice(0, 10).map((reason) => reason.slice(0, 500))
  return new HoldfastError('plugin_changed', message, { details: { missing: plugins.map(({ name }) => `plugin:${name}`), reasons: told } })
}
