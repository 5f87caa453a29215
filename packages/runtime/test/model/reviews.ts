import type { Fact, FactOf } from '../../src/contracts/fact.ts'
import type { Action, Running } from '../../src/contracts/heart.ts'
import type { Part } from '../../src/contracts/message.ts'
import type { State } from '../../src/state/state.ts'
import { conversationOf } from '../../src/state/state.ts'
import type { Done, LastingWorld } from './lasting.ts'
import { lasting } from './lasting.ts'
import type { Random } from './random.ts'

/** Hooks that look at a result, and sometimes show another one. */
export function reviewCall({ scope, call }: Extract<Action, { do: 'reviewCall' }>, state: State, done: Done, world: LastingWorld): Running {
  const { random } = world
  const fact = { v: 1, type: 'call.reviewed', run: state.run?.id ?? '', scope, call } as const
  const say = (): readonly Fact[] => [random.chance(0.5) ? fact : { ...fact, seen: { inline: { value: 'seen' } } }]
  return lasting(world, done, random.int(0, 80), { outcome: say, aborted: () => (random.chance(0.3) ? say() : []) })
}

/** What the gate says of the calls of an answer. */
export type Gates = (
  place: { readonly thread: string; readonly run: string; readonly turn: string },
  parts: readonly Part[],
  random: Random
) => readonly Fact[]

/** Hooks that look at an answer: they leave it, change it, or withhold it. */
export function reviewTurn(
  { scope, turn }: Extract<Action, { do: 'reviewTurn' }>,
  state: State,
  done: Done,
  world: LastingWorld,
  toGates: Gates
): Running {
  const { random } = world
  const run = state.run?.id ?? ''
  const { thread } = state
  const parts = conversationOf(state, scope).turn?.given?.parts ?? []
  const fact: FactOf<'turn.reviewed'> = { v: 1, type: 'turn.reviewed', run, scope, turn }
  const say = (): readonly Fact[] => {
    const luck = random.next()
    if (luck < 0.1) return [{ ...fact, withheld: true, error: { code: 'hook_blocked', message: 'no' } }]
    const gates = toGates({ thread, run, turn }, parts, random)
    return [luck < 0.4 ? { ...fact, seen: { inline: withText(parts) } } : fact, ...gates]
  }
  return lasting(world, done, random.int(0, 80), { outcome: say, aborted: () => (random.chance(0.3) ? say() : []) })
}

function withText(parts: readonly Part[]): readonly Part[] {
  return [{ type: 'text', text: 'seen' }, ...parts.filter(({ type }) => type !== 'text')]
}
