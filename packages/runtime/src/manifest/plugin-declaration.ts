import { HoldfastError } from '../contracts/errors.ts'
import type { Plugin, PluginContextPlace, PluginHookPoint, PluginRuleEffect } from '../contracts/plugin.ts'
import { parseGrants } from '../grants/parse-grants.ts'
import { isGlob } from '../util/glob.ts'
import { isToolInput } from './tool-fields.ts'

const POINTS: { readonly [point in PluginHookPoint]: true } = {
  onMessage: true,
  beforeInference: true,
  afterInference: true,
  beforeToolCall: true,
  afterToolCall: true
}

/** Where hooks of plugins can look. */
export const PLUGIN_HOOK_POINTS = Object.keys(POINTS) as readonly PluginHookPoint[]
/** Where plugins can add to what a model is shown. */
export const PLUGIN_CONTEXT_PLACES: readonly PluginContextPlace[] = ['system', 'request']
/** What rules of plugins can say. */
export const PLUGIN_RULE_EFFECTS: readonly PluginRuleEffect[] = ['deny', 'ask']

/** How plugins, and the hooks in them, are called. */
export const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** What keys of state look like. */
export const STATE_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

const MAX_STATE_KEYS = 64

/** Throws `invalid_input` (details: `plugin`, `field`) for the first thing that a plugin declares and that cannot be used. */
export function checkPlugin(plugin: Plugin): void {
  check(plugin, plugin, FIELDS, '')
  check(plugin, plugin.bounds, BOUNDS, 'bounds.')
  const unknown = Object.keys(plugin.bounds).find((field) => !Object.hasOwn(BOUNDS, field))
  if (unknown !== undefined) throw refuse(plugin, `bounds.${unknown}`, `one of ${Object.keys(BOUNDS).join(', ')}`)
  const grants = parseGrants(plugin.bounds.grants ?? {})
  if (grants.ok) return
  const [fault] = grants.faults
  throw refuse(plugin, ['bounds.grants', ...(fault?.path ?? [])].join('.'), fault?.expected ?? 'grants')
}

interface FieldRule {
  readonly expected: string
  fits(value: unknown): boolean
}

const FIELDS: { readonly [field: string]: FieldRule } = {
  name: {
    expected: 'a name of at most 64 letters, digits, ".", "_" and "-"',
    fits: (value) => typeof value === 'string' && PLUGIN_NAME.test(value)
  },
  version: { expected: 'a text that is not empty', fits: (value) => value === undefined || (typeof value === 'string' && value !== '') },
  options: { expected: 'a schema of an object', fits: (value) => value === undefined || isToolInput(value) },
  bounds: { expected: 'an object', fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  create: { expected: 'a function', fits: (value) => typeof value === 'function' }
}

const BOUNDS: { readonly [field: string]: FieldRule } = {
  tools: { expected: 'a list of names of tools, or globs of them', fits: listOf((text) => text !== '' && isGlob(text)) },
  hooks: oneOf(PLUGIN_HOOK_POINTS),
  context: oneOf(PLUGIN_CONTEXT_PLACES),
  permissions: oneOf(PLUGIN_RULE_EFFECTS),
  grants: { expected: 'an object', fits: (value) => value === undefined || (typeof value === 'object' && value !== null) },
  state: {
    expected: `a list of at most ${MAX_STATE_KEYS} keys of letters, digits and "_"`,
    fits: (value) => listOf((text) => STATE_KEY.test(text))(value) && (value === undefined || (value as unknown[]).length <= MAX_STATE_KEYS)
  }
}

function listOf(fits: (text: string) => boolean): FieldRule['fits'] {
  return (value) => value === undefined || (Array.isArray(value) && value.every((each: unknown) => typeof each === 'string' && fits(each)))
}

function oneOf(words: readonly string[]): FieldRule {
  return { expected: `a list of ${words.join(', ')}`, fits: listOf((text) => words.includes(text)) }
}

function check(plugin: Plugin, value: object, rules: { readonly [field: string]: FieldRule }, around: string): void {
  for (const [field, { expected, fits }] of Object.entries(rules)) {
    if (!fits(Reflect.get(value, field))) throw refuse(plugin, `${around}${field}`, expected)
  }
}

function refuse({ name }: { readonly name: unknown }, field: string, expected: string): HoldfastError {
  const label = typeof name === 'string' ? name.slice(0, 100) : ''
  return new HoldfastError('invalid_input', `Plugin "${label}": \`${field}\` must be ${expected}.`, { details: { plugin: label, field } })
}
