import type { Heart, HookedPoints } from './contracts/heart.ts'
import type { Hook } from './contracts/hook.ts'
import type { Plugin } from './contracts/plugin.ts'
import type { Definition } from './contracts/publication.ts'
import { conversationHeart } from './state/heart.ts'
import type { State } from './state/state.ts'

/** The hooks of a runtime, as far as its heart must know of them. */
export interface HookedHeartOptions {
  readonly host: readonly Hook[]
  readonly registered: readonly Hook[]
  readonly plugins: readonly Pick<Plugin, 'bounds'>[]
}

type Point = keyof HookedPoints

const POINTS: readonly Point[] = ['beforeInference', 'onMessage']

/** The heart of a runtime. Where hooks look at what is to follow, its plan is told so; without such hooks it is the plain one. */
export function createHeart({ host, registered, plugins }: HookedHeartOptions): Heart<State> {
  const looks = (point: Point): boolean =>
    [...host, ...registered].some((hook) => hook[point] !== undefined) || plugins.some(({ bounds }) => bounds.hooks?.includes(point))
  if (!POINTS.some(looks)) return conversationHeart
  const known = new WeakMap<Definition, HookedPoints>()
  const isHooked = ({ hooks = [], plugins: named = [] }: Definition, point: Point): boolean =>
    host.some((hook) => hook[point] !== undefined) ||
    hooks.some(({ name }) => registered.some((hook) => hook.name === name && hook[point] !== undefined)) ||
    named.some((plugin) => plugin.hooks?.some(({ on }) => on.includes(point)))
  const hookedIn = (definition: Definition): HookedPoints => {
    const points = known.get(definition) ?? {
      beforeInference: isHooked(definition, 'beforeInference'),
      onMessage: isHooked(definition, 'onMessage')
    }
    known.set(definition, points)
    return points
  }
  return {
    ...conversationHeart,
    take: (state, items, context) => conversationHeart.take(state, items, { ...context, hooked: hookedIn(state.definition) }),
    plan: (state, context) => conversationHeart.plan(state, { ...context, hooked: hookedIn(state.definition) })
  }
}
