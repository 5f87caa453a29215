import type { HookEntry } from '../contracts/hook.ts'
import { nearest } from '../util/near-miss.ts'
import type { AgentFault } from './agent-fault.ts'

/** The hooks of a definition in its order, or which of them are not registered or named twice. */
export type ResolvedHooks =
  | { readonly ok: true; readonly entries: readonly HookEntry[] }
  | { readonly ok: false; readonly faults: readonly AgentFault[] }

/** Resolves the hooks that a definition names, among those that the host registers. */
export function resolveHooks(hooks: readonly (string | HookEntry)[], known: readonly string[]): ResolvedHooks {
  const entries = hooks.map((entry) => (typeof entry === 'string' ? { name: entry } : entry))
  const names = entries.map(({ name }) => name)
  const faults = names.flatMap((name, index) => findFault(name, index, names, known))
  return faults.length > 0 ? { ok: false, faults } : { ok: true, entries }
}

function findFault(name: string, index: number, names: readonly string[], known: readonly string[]): readonly AgentFault[] {
  const path = ['hooks', index]
  if (names.indexOf(name) < index) {
    return [{ code: 'duplicate', path, message: `the hook ${name} is named twice`, expected: 'each hook once' }]
  }
  if (known.includes(name)) return []
  const [nearMiss] = nearest(name, known)
  const expected = known.length === 0 ? 'a hook that the host registers; it registers none' : `one of ${known.join(', ')}`
  const message = `no hook "${name.slice(0, 100)}" is registered`
  return [{ code: 'invalid', path, message, expected, ...(nearMiss === undefined ? {} : { nearMiss }) }]
}
