import type { AgentTool } from '../contracts/agent-tool.ts'
import type { Tool } from '../contracts/tool.ts'
import type { AgentFault } from './agent-fault.ts'
import type { MadePlugin } from './make-plugin.ts'
import { toToolName } from './tool-name.ts'
import { identityOf } from './tool-registry.ts'

/** The tools that a definition may name, and its entries with those that its plugins add behind them; or which names two of them have. */
export type JoinedTools =
  | { readonly ok: true; readonly tools: ReadonlyMap<string, Tool>; readonly entries: readonly AgentTool[] }
  | { readonly ok: false; readonly faults: readonly AgentFault[] }

/**
 * Adds the tools of a definition's plugins. An entry may name one of them, to be stricter than it; one that is also the name of a tool of the host
 * names two.
 */
export function joinTools(entries: readonly AgentTool[], known: ReadonlyMap<string, Tool>, plugins: readonly MadePlugin[]): JoinedTools {
  if (plugins.length === 0) return { ok: true, tools: known, entries }
  const named = entries.map((entry) => toToolName(typeof entry === 'string' ? entry : entry.ref))
  const own = Map.groupBy(known.values(), ({ name }) => toToolName(name))
  const given = new Map<string, Tool>()
  const faults: AgentFault[] = []
  for (const [index, { tools }] of plugins.entries()) {
    for (const tool of tools) {
      const folded = toToolName(tool.name)
      const other = given.get(folded)
      const [host] = own.get(folded) ?? []
      if (other !== undefined) faults.push(toTwice(['plugins', index], other, tool))
      else if (host !== undefined && named.includes(folded)) faults.push(toTwice(['tools', named.indexOf(folded)], host, tool))
      given.set(folded, tool)
    }
  }
  if (faults.length > 0) return { ok: false, faults }
  const others = [...known.values()].filter(({ name }) => !given.has(toToolName(name)))
  return {
    ok: true,
    tools: new Map([...others, ...given.values()].map((tool) => [tool.name, tool])),
    entries: [...entries, ...[...given].filter(([folded]) => !named.includes(folded)).map(([, { name }]) => name)]
  }
}

function toTwice(path: AgentFault['path'], one: Tool, other: Tool): AgentFault {
  const message = `two tools of the name "${other.name}": ${identityOf(one)} and ${identityOf(other)}`
  return { code: 'duplicate', path, message, expected: 'tools with names of their own: leave one out, or rename it' }
}
