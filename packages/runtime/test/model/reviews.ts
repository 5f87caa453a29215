import type { Fact } from '../../src/contracts/fact.ts'
import type { Action, Running } from '../../src/contracts/heart.ts'
import type { State } from '../../src/state/state.ts'
import type { Done, LastingWorld } from './lasting.ts'
import { lasting } from './lasting.ts'

/** Hooks that look at a result, and sometimes show another one. */
export function reviewCall({ scope, call }: Extract<Action, { do: 'reviewCall' }>, state: State, done: Done, world: LastingWorld): Running {
  const { random } = world
  const fact = { v: 1, type: 'call.reviewed', run: state.run?.id ?? '', scope, call } as const
  const say = (): readonly Fact[] => [random.chance(0.5) ? fact : { ...fact, seen: { inline: { value: 'seen' } } }]
  return lasting(world, done, random.int(0, 80), { outcome: say, aborted: () => (random.chance(0.3) ? say() : []) })
}
