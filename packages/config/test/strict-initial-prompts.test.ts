// Keeps I7: what stands before the first message is a history that every provider takes, whatever became of its calls.
import type { InitialPrompt, Tool } from '@holdfast/runtime'
import { defineTool } from '@holdfast/runtime'
import { describe, expect, test } from 'vitest'
import { within } from '../../runtime/test/runtime-kit.ts'
import type { StrictAnswer } from './strict/strict-answers.ts'
import { STRICT_MODELS } from './strict/strict-provider.ts'
import { startStrictRuntime } from './strict/strict-runtime.ts'
import type { Wire } from './strict/strict-rule.ts'

const tool = (name: string, execute: Tool['execute'], approval = false): Tool<never> =>
  defineTool({ name, description: name, input: { type: 'object' }, approval, effect: 'read', execute })

const TOOLS: readonly Tool<never>[] = [
  tool('look', () => 'seen'),
  tool('nothing', () => ''),
  tool('held', () => 'done', true),
  tool('fail', () => {
    throw new Error(' ')
  })
]

const call = (name: string) => ({ tool: name })

/** Histories that begin in every way that there is. */
const BEGINNINGS: readonly (readonly [string, readonly InitialPrompt[]])[] = [
  ['calls', [{ toolCalls: [call('look'), call('fail')] }]],
  ['calls behind calls', [{ toolCalls: [call('look')] }, { toolCalls: [call('nothing'), call('look')] }, { toolCalls: [call('look')] }]],
  [
    'a text of the system, calls, a text of the system and texts',
    [
      { role: 'system', prompt: 'Be kind.', toolCalls: [call('look')] },
      { role: 'system', prompt: 'Be brief.' },
      { prompt: 'a' },
      { prompt: ' ' },
      { prompt: 'b' }
    ]
  ],
  [
    'texts, and calls of which one is refused',
    [{ prompt: 'a' }, { prompt: 'b', toolCalls: [call('look'), call('held')] }, { prompt: 'left out' }]
  ],
  ['a question', [{ toolCalls: [{ tool: 'ask_user', arguments: { question: 'Which?' } }] }]]
]

const ANSWERS: readonly StrictAnswer[] = [
  { text: 'One more look.', calls: [{ name: 'look', arguments: {} }] },
  { text: 'Done.' },
  { calls: [{ name: 'look', arguments: {} }] },
  { text: 'The end.' }
]

describe.each(Object.keys(STRICT_MODELS) as readonly Wire[])('a strict %s takes a history that begins with', (wire) => {
  test.each(BEGINNINGS)('%s', async (_, initialPrompts) => {
    let answers = 0
    const { provider, runtime, model } = await startStrictRuntime(wire, () => ANSWERS[answers++] ?? { text: 'nothing more' }, TOOLS)
    const agent = {
      name: 'all',
      model,
      systemPrompt: 'You look at things.',
      initialPrompts,
      tools: [...TOOLS.map(({ name }) => name), 'ask_user']
    }
    const run = await runtime.start(agent, { input: 'go' })
    for (let result = await within(run.settled()); result.status === 'waiting'; result = await within(run.settled())) {
      expect(provider.requests).toHaveLength(0)
      const [wait] = result.waits
      if (wait?.kind === 'question') await runtime.answer(wait.id, 'this one')
      else await runtime.deny(wait?.id ?? '')
    }
    expect(await run.settled()).toMatchObject({ status: 'completed', text: 'Done.' })
    await run.message('again')
    expect(await within(run.settled())).toMatchObject({ status: 'completed', text: 'The end.' })
    expect(provider.refused).toEqual([])
    expect(provider.requests).toHaveLength(ANSWERS.length)
  })
})
