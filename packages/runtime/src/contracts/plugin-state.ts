import type { ToolInput } from './tool-input.ts'

/** A value that a plugin keeps in each thread: `Input` is what is set, `Output` what its schema makes of that. Made by `defineState`. */
export interface StateKey<Input, Output = Input> {
  /** Letters, digits and `_`, not beginning with a digit, at most 64. */
  readonly key: string
  readonly schema: ToolInput<Output>
  /** What it is as long as nobody has set it. */
  readonly initial: Input
}

/**
 * What the plugin of a tool or hook keeps in this thread.
 *
 * **Contract**: reads see what was committed when the call, or the check, began, and its own writes. Writes are committed together with its end (the result
 * or suspension of a call, the record of a hook), and lost with it: also where it throws, is too late or is cancelled. Of calls that run at the same time
 * the last one that is committed counts, key by key. Everything throws for a key that is not the plugin's, and outside of plugins.
 */
export interface PluginState {
  /** What is kept, as the schema gives it. Throws when that does not fit the schema any more. */
  get<Output>(key: StateKey<unknown, Output>): Output
  /** Throws when the value does not fit the schema, is no JSON, holds a secret, or the state of the plugin would have more than 65,536 bytes of JSON. */
  set<Input>(key: StateKey<Input, unknown>, value: NoInfer<Input>): void
  /** Makes it the initial value again. */
  reset(key: StateKey<unknown, unknown>): void
}
