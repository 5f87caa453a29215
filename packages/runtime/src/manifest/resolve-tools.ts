import type { AgentTool } from '../contracts/agent-tool.ts'
import { HoldfastError } from '../contracts/errors.ts'
import type { Effect } from '../contracts/fact.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { Limits, ToolDescriptor } from '../contracts/publication.ts'
import type { Tool } from '../contracts/tool.ts'
import { limitsOf } from '../state/limits.ts'
import type { AgentFault } from './agent-fault.ts'
import { withoutHardPatterns } from './linear-pattern.ts'
import { nearest } from '../util/near-miss.ts'
import { toAskUser } from './ask-user.ts'
import { toTaskComplete } from './task-complete.ts'
import { toToolName } from './tool-name.ts'
import { ASK_USER_NAME, BUILT_IN_NAMES, identityOf, versionOf } from './tool-registry.ts'
import type { Place } from './written-source.ts'

/** What of a definition decides about its tools. */
export interface ToolSettings {
  readonly limits: Limits
  readonly outputSchema?: JsonObject
  /** Where an entry was written, when that is known. */
  readonly placeOf?: (index: number) => Place | undefined
}

/** An entry of an agent's tools, with tools themselves replaced by their names. */
export type ToolEntry = AgentTool

/** The descriptors of a definition's tools in its order, or what its entries widen or name twice. */
export type ResolvedTools =
  | { readonly ok: true; readonly descriptors: readonly ToolDescriptor[] }
  | { readonly ok: false; readonly faults: readonly AgentFault[] }

/** From what may be repeated to what must not: an entry may go on, never back. */
const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'once']

/**
 * Resolves the tools of a definition: by the last segment of their path, hyphens and underscores being the same. Throws `tool_unknown` (details:
 * `unknown`, each with `reference`, `path`, `ambiguous` and `candidates`, and with `file`, `line` and `column` where it was read from a file) when an entry names no tool, or more than one.
 */
export async function resolveTools(
  entries: readonly ToolEntry[],
  tools: ReadonlyMap<string, Tool>,
  settings: ToolSettings
): Promise<ResolvedTools> {
  const found = entries.map((entry) => findTool(entry, tools))
  const unknown = found.flatMap((result, index) =>
    result.ok ? [] : [{ ...toUnknown(entries[index] ?? '', index, result), ...settings.placeOf?.(index) }]
  )
  if (unknown.length > 0) throw toUnknownError(unknown)
  const names = found.flatMap((result) => (result.ok ? [result.name] : []))
  const faults = [
    ...findRepeated(names),
    ...entries.flatMap((entry, index) => findWidened(entry, index, tools.get(names[index] ?? ''), settings))
  ]
  if (faults.length > 0) return { ok: false, faults }
  const descriptors: ToolDescriptor[] = []
  for (const [index, name] of names.entries()) descriptors.push(await toDescriptor(name, entries[index] ?? name, tools, settings))
  return { ok: true, descriptors }
}

type Missed = { readonly ok: false; readonly why: 'ambiguous' | 'near' | 'none'; readonly candidates: readonly string[] }
type Found = { readonly ok: true; readonly name: string } | Missed

function findTool(entry: ToolEntry, tools: ReadonlyMap<string, Tool>): Found {
  const wanted = toToolName(referenceOf(entry))
  const names = [...tools.keys(), ...BUILT_IN_NAMES]
  const matches = names.filter((name) => toToolName(name) === wanted)
  const [name] = matches
  if (name !== undefined && matches.length === 1) return { ok: true, name }
  if (matches.length > 1) return { ok: false, why: 'ambiguous', candidates: matches }
  const near = nearest(wanted, names, 3)
  return near.length > 0 ? { ok: false, why: 'near', candidates: near } : { ok: false, why: 'none', candidates: names.slice(0, 20) }
}

/** What an entry calls its tool. */
export function referenceOf(entry: ToolEntry): string {
  return typeof entry === 'string' ? entry : entry.ref
}

function toUnknown(entry: ToolEntry, index: number, { why, candidates }: Missed) {
  return {
    reference: referenceOf(entry).slice(0, 200),
    path: `tools[${index}]`,
    ambiguous: why === 'ambiguous',
    why,
    candidates: [...candidates]
  }
}

const WHY: { readonly [why in Missed['why']]: string } = {
  ambiguous: 'names several tools:',
  near: 'is none of the tools that are here. Did you mean',
  none: 'is none of the tools that are here:'
}

function toUnknownError(unknown: readonly (ReturnType<typeof toUnknown> & Partial<Place>)[]): HoldfastError {
  const lines = unknown.map(({ reference, path, why, candidates, file, line, column }) => {
    const names = candidates.join(why === 'near' ? ' or ' : ', ')
    const place = file === undefined ? '' : `${file}:${line}:${column}: `
    return `  ${place}${path}: "${reference}" ${WHY[why]} ${names}${why === 'near' ? '?' : ''}`
  })
  const details: { readonly [key: string]: Json } = { unknown: unknown.map(({ why: _, ...rest }) => rest) }
  return new HoldfastError('tool_unknown', `Tools of the definition cannot be found:\n${lines.join('\n')}`, { details })
}

function findRepeated(names: readonly string[]): readonly AgentFault[] {
  const first = new Map<string, number>()
  return names.flatMap((name, index) => {
    const before = first.get(name)
    if (before === undefined) first.set(name, index)
    if (before === undefined) return []
    return [{ code: 'duplicate', path: ['tools', index], message: `the tool "${name}" is listed twice`, related: ['tools', before] }]
  })
}

/** What an entry says about a tool must be as strict as the tool itself, or stricter. */
function findWidened(entry: ToolEntry, index: number, tool: Tool | undefined, settings: ToolSettings): readonly AgentFault[] {
  if (typeof entry === 'string') return []
  const faults: AgentFault[] = []
  if (entry.approval === false && tool?.approval !== undefined && tool.approval !== false) {
    faults.push({
      code: 'invalid',
      path: ['tools', index, 'approval'],
      message: 'an entry may only be stricter than its tool',
      expected: 'true'
    })
  }
  const declared = tool?.effect ?? 'read'
  if (entry.effect !== undefined && EFFECTS.indexOf(entry.effect) < EFFECTS.indexOf(declared)) {
    const expected = EFFECTS.slice(EFFECTS.indexOf(declared)).join(' or ')
    faults.push({ code: 'invalid', path: ['tools', index, 'effect'], message: 'an entry may only be stricter than its tool', expected })
  }
  if (entry.onUnknown === 'tell' && tool?.onUnknown === 'ask') {
    faults.push({
      code: 'invalid',
      path: ['tools', index, 'onUnknown'],
      message: 'an entry may only be stricter than its tool',
      expected: 'ask'
    })
  }
  const bound = timeoutOf(tool, settings)
  if (entry.timeoutMs !== undefined && entry.timeoutMs > bound) {
    const expected = `at most ${bound}`
    faults.push({ code: 'invalid', path: ['tools', index, 'timeoutMs'], message: 'an entry may only be stricter than its tool', expected })
  }
  return faults
}

/** The tool's own, below the definition's limit when it sets one; else the default. */
function timeoutOf(tool: Tool | undefined, { limits }: ToolSettings): number {
  const own = tool?.timeoutMs ?? limitsOf({ limits }).toolTimeoutMs
  return Math.min(own, limits.toolTimeoutMs ?? own)
}

async function toDescriptor(
  name: string,
  entry: ToolEntry,
  tools: ReadonlyMap<string, Tool>,
  settings: ToolSettings
): Promise<ToolDescriptor> {
  const tool = tools.get(name)
  const asked: Exclude<ToolEntry, string> = typeof entry === 'string' ? { ref: entry } : entry
  const timeoutMs = asked.timeoutMs ?? timeoutOf(tool, settings)
  if (tool === undefined) return toBuiltIn(name, asked, timeoutMs, settings)
  const { input, description, parallelSafe } = tool
  return {
    identity: identityOf(tool),
    name,
    description,
    // A Standard Schema checks its patterns itself.
    inputSchema: input.kind === 'standard' ? await withoutHardPatterns(input.jsonSchema) : input.jsonSchema,
    effect: asked.effect ?? tool.effect,
    parallelSafe,
    timeoutMs,
    ...toApproval(asked, tool),
    ...(tool.reconcile === undefined ? {} : { reconcile: true }),
    ...((asked.onUnknown ?? tool.onUnknown) === 'ask' ? { onUnknown: 'ask' } : {}),
    version: versionOf(tool)
  }
}

function toBuiltIn(name: string, asked: Exclude<ToolEntry, string>, timeoutMs: number, settings: ToolSettings): ToolDescriptor {
  if (name === ASK_USER_NAME) return toAskUser(timeoutMs)
  return { ...toTaskComplete(settings.outputSchema, timeoutMs), ...(asked.effect ? { effect: asked.effect } : {}) }
}

/** What holds without asking the tool's code. */
function toApproval({ approval }: Exclude<ToolEntry, string>, tool: Tool): Pick<ToolDescriptor, 'approval'> {
  const own = typeof tool.approval === 'function' ? false : (tool.approval ?? false)
  if (own !== false) return { approval: own }
  return approval === true ? { approval: true } : {}
}
