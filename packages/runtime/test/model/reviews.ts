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

/** Hooks that look at a message: they let it pass, change it or send it back. */
export function admit({ scope, item }: Extract<Action, { do: 'admit' }>, done: Done, world: LastingWorld): Running {
  const { random } = world
  const fact: FactOf<'message.admitted'> = { v: 1, type: 'message.admitted', scope, item: item.id }
  const say = (): readonly Fact[] => {
    const luck = random.next()
    if (luck < 0.15) return [{ ...fact, error: { code: 'hook_blocked', message: 'no' } }]
    return [luck < 0.5 ? { ...fact, seen: { inline: [{ type: 'text', text: 'seen' }] } } : fact]
  }
  return lasting(world, done, random.int(0, 80), { outcome: say, aborted: () => (random.chance(0.3) ? say() : []) })
}

/** Hooks that look at a request: they let it pass, add to it, refuse it or answer it. */
export function prepare({ scope, turn }: Extract<Action, { do: 'prepare' }>, state: State, done: Done, world: LastingWorld): Running {
  const { random } = world
  const run = state.run?.id ?? ''
  const before = conversationOf(state, scope).turn
  const count = before?.id === turn ? before.try + 1 : 1
  const fact: FactOf<'turn.prepared'> = { v: 1, type: 'turn.prepared', run, scope, turn }
  const say = (): readonly Fact[] => {
    const luck = random.next()
    if (luck < 0.05) return [{ ...fact, error: { code: 'hook_failed', message: 'no' } }]
    if (luck < 0.2) return toAnswered({ run, scope, turn }, count)
    return [luck < 0.5 ? { ...fact, context: { inline: [{ hook: 'h', text: 'by the way' }] } } : fact]
  }
  return lasting(world, done, random.int(0, 80), { outcome: say, aborted: () => (random.chance(0.3) ? say() : []) })
}

function toAnswered(place: { readonly run: string; readonly scope: string; readonly turn: string }, count: number): readonly Fact[] {
  const model = 'hook:h'
  const usage = { inputTokens: 0, outputTokens: 0 }
  return [
    { v: 1, type: 'turn.started', ...place, try: count, model, hook: 'h' },
    {
      v: 1,
      type: 'model.responded',
      ...place,
      parts: { inline: [{ type: 'text', text: 'by a hook' }] },
      finish: 'stop',
      usage,
      cost: 0,
      model
    }
  ]
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
