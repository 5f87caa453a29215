// What is published and what runs is made here, by the same code.
import { isHoldfastError } from '../contracts/errors.ts'
import type { Hook } from '../contracts/hook.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { Plugin, PublishedPlugin } from '../contracts/plugin.ts'
import type { StateKey } from '../contracts/plugin-state.ts'
import type { Tool } from '../contracts/tool.ts'
import type { ToolInput } from '../contracts/tool-input.ts'
import { parseGrants } from '../grants/parse-grants.ts'
import { NO_GRANTS } from '../grants/intersect-grants.ts'
import { digestJson } from '../util/canonical.ts'
import type { AgentFault } from './agent-fault.ts'
import { toJsonCopy } from './json-value.ts'
import type { OwnedState, PluginOwner } from './plugin-owner.ts'
import { MAX_STATE_BYTES, toOwnedTool } from './plugin-owner.ts'
import type { CheckedParts } from './plugin-parts.ts'
import { checkParts } from './plugin-parts.ts'
import { toSchemaPath } from './schema-path.ts'
import type { ArgumentsValidator } from './tool-arguments.ts'
import { createArgumentsValidator } from './tool-arguments.ts'

/** A plugin as a definition has it: what is frozen of it, and what runs. */
export interface MadePlugin {
  readonly published: PublishedPlugin
  readonly owner: PluginOwner
  readonly tools: readonly Tool[]
  /** Under their whole names. */
  readonly hooks: readonly Hook[]
}

/** A plugin that was made, or what is wrong with its options and with what it gives: paths are from its entry on. */
export type PluginMaking = { readonly ok: true; readonly made: MadePlugin } | { readonly ok: false; readonly faults: readonly AgentFault[] }

/** Makes a plugin with the options of a definition; of one that was published, state begins with what was published. Never throws for what the plugin does. */
export async function makePlugin(
  plugin: Plugin,
  options: JsonObject = {},
  { state: published = [] }: Pick<PublishedPlugin, 'state'> = {}
): Promise<PluginMaking> {
  const read = await readOptions(plugin, options)
  if (!read.ok) return read
  const returned = attempt(() => plugin.create(read.value))
  if (!returned.ok) return refuse(plugin, [`nothing: it throws (${returned.error})`])
  const faults: string[] = []
  const parts = await checkParts(plugin, returned.value, faults)
  const initial = new Map(published.map((each) => [each.key, each.initial]))
  const state = await compileState(
    parts.state.map((each) => (initial.has(each.key) ? { ...each, initial: initial.get(each.key) } : each)),
    faults
  )
  if (faults.length > 0) return refuse(plugin, faults)
  const owner: PluginOwner = { name: plugin.name, state, ...(plugin.version === undefined ? {} : { version: plugin.version }) }
  const granted = parseGrants(plugin.bounds.grants ?? {})
  const bounds = granted.ok ? granted.value : NO_GRANTS
  return {
    ok: true,
    made: {
      published: toPublished(plugin, options, parts, state),
      owner,
      tools: parts.tools.map((tool) => toOwnedTool(tool, owner, bounds)),
      hooks: parts.hooks.map(({ hook, on }) => toOwnHook(plugin, hook, on))
    }
  }
}

type Attempt = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string }

function attempt(work: () => unknown): Attempt {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message.slice(0, 500) : 'no error' }
  }
}

function refuse({ name }: Plugin, gives: readonly string[]): PluginMaking {
  return { ok: false, faults: gives.map((each) => ({ code: 'invalid', path: [], message: `the plugin ${name} gives ${each}` })) }
}

type ReadOptions = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly faults: readonly AgentFault[] }

async function readOptions({ name, options: input }: Plugin, options: JsonObject): Promise<ReadOptions> {
  if (input === undefined) {
    if (Object.keys(options).length === 0) return { ok: true, value: {} }
    return { ok: false, faults: [{ code: 'invalid', path: ['options'], message: `the plugin ${name} takes no options`, expected: 'none' }] }
  }
  const check = await compile(input)
  if (typeof check === 'string')
    return { ok: false, faults: [{ code: 'invalid', path: [], message: `the plugin ${name} takes options ${check}` }] }
  const checked = await check(options)
  if (checked.ok) return { ok: true, value: checked.input }
  const faults = checked.places.slice(0, 20).map(({ pointer, expected }): AgentFault => {
    return {
      code: 'invalid',
      path: ['options', ...toSchemaPath(pointer, options)],
      message: `this is not what the plugin ${name} takes: ${expected.slice(0, 500)}`
    }
  })
  return { ok: false, faults }
}

/** A validator, or why the schema gives none. */
async function compile(input: ToolInput<unknown>): Promise<ArgumentsValidator | string> {
  try {
    return await createArgumentsValidator({ input })
  } catch (error) {
    if (!isHoldfastError(error)) throw error
    return `whose schema cannot be used (${error.message.replace(/\.$/, '')})`
  }
}

async function compileState(keys: CheckedParts['state'], faults: string[]): Promise<ReadonlyMap<string, OwnedState>> {
  const state = new Map<string, OwnedState>()
  for (const each of keys) {
    const made = await compileKey(each)
    if (typeof made === 'string') faults.push(`the state ${each.key}, ${made}`)
    else state.set(each.key, made)
  }
  const bytes = [...state.values()].reduce((sum, { initial }) => sum + Buffer.byteLength(JSON.stringify(initial)), 0)
  if (bytes > MAX_STATE_BYTES) faults.push(`state whose initial values have ${bytes} bytes of JSON, of ${MAX_STATE_BYTES} that fit`)
  return state
}

async function compileKey({ schema, initial }: StateKey<unknown, unknown>): Promise<OwnedState | string> {
  const copy = toJsonCopy(initial)
  if (!copy.ok) return `whose initial value is no JSON (${copy.message})`
  const check = await compile(schema)
  if (typeof check === 'string') return check
  const checked = check(copy.value)
  if (checked instanceof Promise) return 'whose schema cannot judge at once'
  return checked.ok ? { initial: copy.value, check } : `whose initial value does not fit its schema (${checked.errors})`
}

function toPublished(
  plugin: Plugin,
  options: JsonObject,
  { hooks, context, permissions, state: keys }: CheckedParts,
  state: ReadonlyMap<string, OwnedState>
): PublishedPlugin {
  return {
    name: plugin.name,
    version: plugin.version ?? digestOf(plugin),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(hooks.length === 0 ? {} : { hooks: hooks.map(({ hook, on }) => ({ name: hook.name, on })) }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(permissions.length === 0 ? {} : { permissions }),
    ...(keys.length === 0
      ? {}
      : { state: keys.map(({ key, schema }) => ({ key, schema: schema.jsonSchema, initial: state.get(key)?.initial ?? null })) })
  }
}

function digestOf({ name, options, bounds }: Plugin): string {
  const { tools = [], hooks = [], context = [], permissions = [], grants = {}, state = [] } = bounds
  return digestJson({
    name,
    options: options?.jsonSchema ?? null,
    bounds: { tools, hooks, context, permissions, grants, state }
  } as unknown as Json)
}

/** The hook under its whole name, and nothing of it but where it looks. */
function toOwnHook(plugin: Plugin, hook: Hook, on: readonly (keyof Hook)[]): Hook {
  const points = on.map((point) => [
    point,
    (...given: readonly unknown[]) => Reflect.apply(Reflect.get(hook, point) as () => unknown, hook, given)
  ])
  return {
    name: `${plugin.name}/${hook.name}`,
    ...(hook.timeoutMs === undefined ? {} : { timeoutMs: hook.timeoutMs }),
    ...(Object.fromEntries(points) as Omit<Hook, 'name'>)
  }
}
