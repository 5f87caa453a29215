import { expect, test } from 'vitest'
import type { Hook, HookContext } from '../src/contracts/hook.ts'
import { pluginOf } from './plugin-kit.ts'
import { toolOf, userTexts } from './runtime-kit.ts'
import { acted, COUNT, STATE } from './state-kit.ts'

const POINTS = ['onMessage', 'beforeInference', 'afterInference', 'beforeToolCall', 'afterToolCall'] as const

test('a hook of a plugin looks at everything that hooks can change, and keeps state at each place', async () => {
  const looked: string[] = []
  const note =
    (point: (typeof POINTS)[number]) =>
    (_: unknown, { state }: HookContext) => {
      looked.push(`${point} ${state.get(COUNT)}`)
      state.set(COUNT, state.get(COUNT) + 1)
      return null
    }
  const hook = { name: 'watch', ...Object.fromEntries(POINTS.map((point) => [point, note(point)])) } as Hook
  const parts = { tools: [toolOf('act', () => 'acted')], hooks: [hook], state: STATE }
  const plugin = pluginOf('keeper', { tools: ['act'], hooks: POINTS, state: ['count', 'list', 'text'] }, parts)
  const { result, state, run, model } = await acted({ plugins: [plugin] })
  expect(result).toMatchObject({ status: 'completed', text: 'done' })
  expect(looked).toEqual([
    ...['onMessage 0', 'beforeInference 1', 'afterInference 2', 'beforeToolCall 3', 'afterToolCall 4'],
    ...['beforeInference 5', 'afterInference 6']
  ])
  expect(state).toEqual({ keeper: { count: 7 } })
  expect(userTexts(model.prompts[0])).toEqual(['go'])
  expect((await run.verify()).problems).toEqual([])
})
