import type { FactOf } from '../contracts/fact.ts'
import type { Json } from '../contracts/json.ts'
import type { Body } from '../contracts/message.ts'
import { inlineOf } from './body.ts'

/** What plugins keep in a thread, by plugin and key. Never changed: what began with it goes on seeing it. */
export type PluginValues = { readonly [plugin: string]: { readonly [key: string]: Body } }

/** The values with what a fact sets; null: the key has its initial value again. */
export function withValue(values: PluginValues | null, { owner, key, value }: FactOf<'state.set'>): PluginValues {
  const { [key]: _, ...others } = values !== null && Object.hasOwn(values, owner) ? (values[owner] ?? {}) : {}
  return { ...values, [owner]: value === null ? others : { ...others, [key]: value } }
}

/** What a plugin keeps under a key; nothing where that is the initial value. */
export function valueIn(values: PluginValues | null, plugin: string, key: string): Json | undefined {
  const kept = values !== null && Object.hasOwn(values, plugin) ? values[plugin] : undefined
  const body = kept !== undefined && Object.hasOwn(kept, key) ? kept[key] : undefined
  return body === undefined ? undefined : inlineOf(body)
}

/** All that is kept, as values. */
export function toPlainValues(values: PluginValues | null): { readonly [plugin: string]: { readonly [key: string]: Json } } {
  const plain = (kept: PluginValues[string]) => Object.fromEntries(Object.entries(kept).map(([key, body]) => [key, inlineOf(body)]))
  return Object.fromEntries(Object.entries(values ?? {}).map(([plugin, kept]) => [plugin, plain(kept)]))
}
