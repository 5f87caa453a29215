import type { Fact } from '../contracts/fact.ts'
import type { PluginState } from '../contracts/plugin-state.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import type { Tool } from '../contracts/tool.ts'
import { ownerOf } from '../manifest/plugin-owner.ts'
import type { State } from '../state/state.ts'
import type { LedgerPlace } from './plugin-state.ts'
import { StateLedger } from './plugin-state.ts'

/** What one start of a call reads and sets of the state of its plugin. */
export interface CallState {
  readonly state: PluginState
  /** Ends it: the facts of what was set. */
  keep(): readonly Fact[]
  /** Ends it: nothing was set. */
  drop(): void
}

/** The state that a tool of a plugin works with; null for any other. */
export function openCallState(
  tool: Tool,
  { definition, plugins }: Pick<State, 'definition' | 'plugins'>,
  { secrets, ...place }: LedgerPlace & { readonly secrets: SecretRegistry }
): CallState | null {
  const owner = definition.plugins === undefined ? undefined : ownerOf(tool)
  if (owner === undefined) return null
  const ledger = new StateLedger(plugins, place, secrets)
  const { state, keep, drop } = ledger.open(owner)
  return {
    state,
    keep: () => {
      keep()
      return ledger.facts()
    },
    drop
  }
}
