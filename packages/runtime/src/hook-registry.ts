import { HoldfastError } from './contracts/errors.ts'
import type { Hook, HookOptions } from './contracts/hook.ts'
import type { HookSource } from './effects/prepared-hooks.ts'
import { assertWholeNumber } from './whole-number.ts'

/** The hooks of a runtime. */
export interface HookRegistry extends HookSource {
  readonly registered: readonly Hook[]
  /** The names that definitions may use. */
  readonly names: readonly string[]
  /** The same, as what a thread may need. */
  readonly needs: readonly string[]
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws `invalid_input` for a name that is none, or that two hooks share: an approval says to which of them it answers. */
export function createHookRegistry({ hooks = [], registeredHooks = [] }: HookOptions): HookRegistry {
  const known = new Set<string>()
  for (const { name, timeoutMs } of [...hooks, ...registeredHooks]) {
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw new HoldfastError(
        'invalid_input',
        `expected the name of a hook (letters, digits, ".", "_", "-"; at most 64), got ${String(name)}`
      )
    }
    if (known.has(name)) throw new HoldfastError('invalid_input', `two hooks are named "${name}": give each a name of its own`)
    known.add(name)
    assertWholeNumber(`timeoutMs of the hook ${name}`, timeoutMs, 1)
  }
  const registered = new Map<string, Hook>(registeredHooks.map((hook) => [hook.name, hook]))
  const names = [...registered.keys()]
  return {
    host: hooks,
    registered: registeredHooks,
    find: (name) => registered.get(name),
    names,
    needs: names.map((name) => `hook:${name}`)
  }
}
