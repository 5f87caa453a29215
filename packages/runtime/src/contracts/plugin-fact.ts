import type { CallId } from './ids.ts'
import type { Body } from './message.ts'

/** What a plugin keeps from here on. */
export type PluginFact = {
  readonly type: 'state.set'
  /** The plugin. */
  readonly owner: string
  readonly key: string
  /** Null: it has its initial value again. */
  readonly value: Body | null
  /** The call that set it, or that was looked at when it was set. */
  readonly call?: CallId
}
