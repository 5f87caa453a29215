// Keeps I8: what a plugin gives beyond its bounds is refused, where a definition is published and where a thread of it is driven.
import { isHoldfastError } from '../contracts/errors.ts'
import type { Grants } from '../contracts/grants.ts'
import type { Hook } from '../contracts/hook.ts'
import type { PermissionRule } from '../contracts/permission-rule.ts'
import type { Plugin, PluginContext, PluginHookPoint } from '../contracts/plugin.ts'
import type { StateKey } from '../contracts/plugin-state.ts'
import type { Tool } from '../contracts/tool.ts'
import { intersectGrants } from '../grants/intersect-grants.ts'
import { parseGrants } from '../grants/parse-grants.ts'
import { parsePermissionRules } from '../grants/parse-rules.ts'
import { toCanonicalJson } from '../util/canonical.ts'
import { compileGlob } from '../util/glob.ts'
import { nearest } from '../util/near-miss.ts'
import { PLUGIN_CONTEXT_PLACES, PLUGIN_HOOK_POINTS, PLUGIN_NAME, PLUGIN_RULE_EFFECTS, STATE_KEY } from './plugin-declaration.ts'
import { parseTemplate } from './template.ts'
import { checkWholeTool, isToolInput } from './tool-fields.ts'
import { toToolName } from './tool-name.ts'
import { BUILT_IN_NAMES } from './tool-registry.ts'

/** A hook of a plugin, and where it looks. */
export interface PluginHook {
  readonly hook: Hook
  readonly on: readonly PluginHookPoint[]
}

/** What a plugin gives, looked at: within its bounds, and of the right shape. */
export interface CheckedParts {
  readonly tools: readonly Tool[]
  readonly hooks: readonly PluginHook[]
  readonly context: PluginContext
  readonly permissions: readonly PermissionRule[]
  readonly state: readonly StateKey<unknown, unknown>[]
}

const PARTS = ['tools', 'hooks', 'context', 'permissions', 'state'] as const
type Part = (typeof PARTS)[number]
type Given = { readonly [part in Part]?: unknown }

const OBSERVED = ['onCost', 'onStateChange', 'onEvent']
const MAX_CONTEXT_LENGTH = 32_768

/** Looks at what a plugin returned. `faults` says what it gives that it may not, or that cannot be used, each as what follows "the plugin gives". */
export async function checkParts(plugin: Plugin, returned: unknown, faults: string[]): Promise<CheckedParts> {
  const given = readGiven(returned, faults)
  const checking: Checking = { bounds: plugin.bounds, faults }
  const tools = await checkTools(readList(given, 'tools', faults), checking)
  const hooks = checkHooks(readList(given, 'hooks', faults), checking)
  const permissions = checkRules(given.permissions ?? [], checking)
  const state = checkState(readList(given, 'state', faults), checking)
  const context = await checkContext(given.context ?? {}, state, checking)
  return { tools, hooks, context, permissions, state }
}

interface Checking {
  readonly bounds: Plugin['bounds']
  readonly faults: string[]
}

function readGiven(returned: unknown, faults: string[]): Given {
  if (!isObject(returned)) {
    faults.push(
      `${returned === null || typeof returned !== 'object' ? typeof returned : 'something else'} instead of an object of parts, at once`
    )
    return {}
  }
  for (const key of Object.keys(returned)) {
    if ((PARTS as readonly string[]).includes(key)) continue
    const [near] = nearest(key, PARTS)
    faults.push(`"${key.slice(0, 100)}", which is none of ${PARTS.join(', ')}${near === undefined ? '' : ` (did it mean "${near}"?)`}`)
  }
  return returned
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value)
}

function readList(given: Given, part: Part, faults: string[]): readonly unknown[] {
  const list = given[part] ?? []
  if (Array.isArray(list)) return list
  faults.push(`\`${part}\` that is no list`)
  return []
}

async function checkTools(given: readonly unknown[], { bounds, faults }: Checking): Promise<readonly Tool[]> {
  const granted = parseGrants(bounds.grants ?? {})
  const globs = await Promise.all((bounds.tools ?? []).map((glob) => compileGlob(glob, 'text')))
  const names = new Set<string>()
  const tools: Tool[] = []
  for (const each of given) {
    const tool = readTool(each, faults)
    if (tool === undefined) continue
    const folded = toToolName(tool.name)
    if (BUILT_IN_NAMES.includes(folded)) faults.push(`a tool with the name of the built-in ${folded}`)
    if (names.has(folded)) faults.push(`two tools of the name ${tool.name}`)
    if (!globs.some((fits) => fits?.(tool.name))) faults.push(`the tool ${tool.name}, which its \`bounds.tools\` do not name`)
    if (!granted.ok || !holdsNeeds(granted.value, tool)) {
      faults.push(`the tool ${tool.name}, which needs more of the machine than its \`bounds.grants\` say`)
    }
    names.add(folded)
    tools.push(tool)
  }
  return tools
}

function holdsNeeds(bounds: Grants, { needs = {} }: Tool): boolean {
  const parsed = parseGrants(needs)
  return parsed.ok && toCanonicalJson(intersectGrants(parsed.value, bounds)) === toCanonicalJson(parsed.value)
}

function readTool(given: unknown, faults: string[]): Tool | undefined {
  if (typeof given !== 'object' || given === null) {
    faults.push('a tool that is none: `defineTool` makes it')
    return undefined
  }
  try {
    checkWholeTool(given)
    return given as Tool
  } catch (error) {
    if (!isHoldfastError(error)) throw error
    faults.push(`a tool that cannot be used (${error.message.replace(/\.$/, '')})`)
    return undefined
  }
}

function checkHooks(given: readonly unknown[], checking: Checking): readonly PluginHook[] {
  const names = new Set<string>()
  const hooks: PluginHook[] = []
  for (const each of given) {
    const { name } = (each ?? {}) as { readonly name?: unknown }
    if (typeof name === 'string' && PLUGIN_NAME.test(name) && !names.has(name)) {
      names.add(name)
      hooks.push(checkHook(each as Hook, checking))
    } else
      checking.faults.push(`a hook without a name of its own (letters, digits, ".", "_", "-"; at most 64): ${String(name).slice(0, 100)}`)
  }
  return hooks
}

function checkHook(hook: Hook, { bounds, faults }: Checking): PluginHook {
  const { name, timeoutMs } = hook
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && Number(timeoutMs) > 0)) {
    faults.push(`the hook ${name} with a \`timeoutMs\` that is no whole number above 0`)
  }
  const looks = (point: string): boolean => typeof Reflect.get(hook, point) === 'function'
  const on = PLUGIN_HOOK_POINTS.filter(looks)
  for (const point of on) {
    if (!bounds.hooks?.includes(point)) faults.push(`the hook ${name}, which looks at ${point}, and its \`bounds.hooks\` do not name that`)
  }
  for (const point of OBSERVED.filter(looks)) faults.push(`the hook ${name}, which observes (${point}): only hooks of the host do`)
  if (on.length === 0) faults.push(`the hook ${name}, which looks at nothing`)
  return { hook, on }
}

function checkRules(given: unknown, { bounds, faults }: Checking): readonly PermissionRule[] {
  const parsed = parsePermissionRules(given)
  if (!parsed.ok) {
    const [fault] = parsed.faults
    const place = fault?.path.join('.') ?? ''
    faults.push(`rules that cannot be read (permissions${place === '' ? '' : `.${place}`}: expected ${fault?.expected ?? 'rules'})`)
    return []
  }
  for (const { effect, tool } of parsed.value) {
    const known = PLUGIN_RULE_EFFECTS.find((each) => each === effect)
    if (known === undefined) faults.push(`a rule that allows ${tool}: a plugin only bounds`)
    else if (!bounds.permissions?.includes(known)) faults.push(`a rule (${effect} ${tool}), which its \`bounds.permissions\` do not name`)
  }
  return parsed.value
}

function checkState(given: readonly unknown[], { bounds, faults }: Checking): readonly StateKey<unknown, unknown>[] {
  const keys = new Set<string>()
  const state: StateKey<unknown, unknown>[] = []
  for (const each of given) {
    const { key, schema } = (each ?? {}) as { readonly key?: unknown; readonly schema?: unknown }
    if (typeof key !== 'string' || !STATE_KEY.test(key) || !isToolInput(schema)) {
      faults.push('state that is none: `defineState` makes it')
      continue
    }
    if (keys.has(key)) faults.push(`the state ${key} twice`)
    if (!bounds.state?.includes(key)) faults.push(`the state ${key}, which its \`bounds.state\` do not name`)
    keys.add(key)
    state.push(each as StateKey<unknown, unknown>)
  }
  return state
}

async function checkContext(given: unknown, state: CheckedParts['state'], { bounds, faults }: Checking): Promise<PluginContext> {
  if (!isObject(given)) {
    faults.push('`context` that is no object')
    return {}
  }
  const context: { -readonly [place in keyof PluginContext]: string } = {}
  for (const [key, text] of Object.entries(given)) {
    const place = PLUGIN_CONTEXT_PLACES.find((each) => each === key)
    if (text === undefined) continue
    if (place === undefined || typeof text !== 'string' || text.trim() === '' || text.length > MAX_CONTEXT_LENGTH || !text.isWellFormed()) {
      faults.push(
        `\`context.${key.slice(0, 100)}\`, which is no text of at most ${MAX_CONTEXT_LENGTH} characters for ${PLUGIN_CONTEXT_PLACES.join(' or ')}`
      )
      continue
    }
    if (!bounds.context?.includes(place)) faults.push(`\`context.${place}\`, which its \`bounds.context\` do not name`)
    faults.push(...(await findTextFaults(place, text, new Set(state.map((each) => each.key)))))
    context[place] = text
  }
  return context
}

async function findTextFaults(place: string, text: string, keys: ReadonlySet<string>): Promise<readonly string[]> {
  const parsed = await parseTemplate(text)
  if (!parsed.ok)
    return parsed.faults.map(({ message, offset }) => `\`context.${place}\`, whose template is wrong (${message}, at ${offset + 1})`)
  return parsed.template.references
    .filter(({ path: [root, key] }) => root !== 'state' || key === undefined || !keys.has(key))
    .map(
      ({ path }) => `\`context.${place}\`, which reads ${path.join('.').slice(0, 100)}: only its own state is filled in, as \`state.key\``
    )
}
