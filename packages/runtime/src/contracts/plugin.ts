import type { GrantsInput } from './grants.ts'
import type { Hook } from './hook.ts'
import type { Json, JsonObject } from './json.ts'
import type { PermissionRule } from './permission-rule.ts'
import type { StateKey } from './plugin-state.ts'
import type { Tool } from './tool.ts'
import type { ToolInput } from './tool-input.ts'

/** Where hooks of plugins can look. */
export type PluginHookPoint = Exclude<keyof Hook, 'name' | 'timeoutMs' | 'onCost' | 'onStateChange' | 'onEvent'>

/** A plugin that a definition names, with what it is told there. */
export interface PluginEntry {
  readonly name: string
  readonly options?: JsonObject
}

/** Where a plugin adds to what a model is shown: to the system prompt, or behind the last message of a request and nowhere else. */
export type PluginContextPlace = 'system' | 'request'

/** What a plugin adds to what a model is shown. */
export type PluginContext = {
  /** A template over the plugin's own state: `{{ state.key }}`. Nothing else is filled in, so that the request follows from facts and publication. */
  readonly [place in PluginContextPlace]?: string
}

/** What a rule of a plugin may say: it bounds, and never allows. */
export type PluginRuleEffect = 'deny' | 'ask'

/** What a plugin gives at most. What it returns beyond that is refused when a definition that names it is published, and when a thread of it is driven. */
export interface PluginBounds {
  /** Names of tools, or globs of them (`query_*`). Default: none. */
  readonly tools?: readonly string[]
  /** Where its hooks look. Default: nowhere. */
  readonly hooks?: readonly PluginHookPoint[]
  /** Where it adds to what a model is shown. Default: nowhere. */
  readonly context?: readonly PluginContextPlace[]
  /** What its rules may say. Default: it has none. */
  readonly permissions?: readonly PluginRuleEffect[]
  /** What its tools need at most, and work with: `context.grants` holds of the thread's grants no more than this. Default: nothing. */
  readonly grants?: GrantsInput
  /** Keys of the state that it keeps in each thread. Default: none. */
  readonly state?: readonly string[]
}

/** What a plugin gives to a definition that names it. */
export interface PluginParts {
  /** Their identity is `plugin:` + the plugin's name + `/` + the tool's. */
  readonly tools?: readonly Tool<never>[]
  /** Facts and asks call them by the plugin's name, `/` and their own. */
  readonly hooks?: readonly Hook[]
  readonly context?: PluginContext
  /** A layer of rules of its own: the strictest of all layers says what becomes of a call. */
  readonly permissions?: readonly PermissionRule[]
  readonly state?: readonly StateKey<unknown, unknown>[]
}

/**
 * Tools, hooks, context, rules and state under one name, which the host registers (`RuntimeOptions.plugins`) and definitions name. Made by `definePlugin`.
 *
 * **Contract** of `create`: it gives the same for the same options, at once, and touches nothing outside. It is called when a definition is published and
 * once in every process that drives a thread of it; what it returns must stay within `bounds`. What it throws refuses the definition.
 */
export interface Plugin {
  /** Letters, digits, `.`, `_` and `-`, at most 64. */
  readonly name: string
  /** Changes when the plugin's behaviour does. Default: the digest of what it declares. */
  readonly version?: string
  /** What its options must be. Absent: it takes none. */
  readonly options?: ToolInput<never>
  readonly bounds: PluginBounds
  create(options: unknown): PluginParts
}

/** A plugin as the publication freezes it. Its tools stand among those of the definition, under their identity. */
export interface PublishedPlugin {
  readonly name: string
  /** Declared by the plugin, else the digest of what it declares. */
  readonly version: string
  readonly options?: JsonObject
  /** Its hooks, and where each looks: without one of them a thread is not driven. */
  readonly hooks?: readonly { readonly name: string; readonly on: readonly string[] }[]
  readonly context?: PluginContext
  /** Its rules hold beside those that the plugin has where a thread is driven. */
  readonly permissions?: readonly PermissionRule[]
  readonly state?: readonly { readonly key: string; readonly schema: JsonObject; readonly initial: Json }[]
}
