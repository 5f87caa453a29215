// Keeps I7: whatever became of its calls, a history is one that its provider takes.
import type { ThreadHandle, Tool } from '@holdfast/runtime'
import { defineTool } from '@holdfast/runtime'
import { expect, test } from 'vitest'
import { until, within } from '../../runtime/test/runtime-kit.ts'
import type { StrictAnswer } from './strict/strict-answers.ts'
import { STRICT_MODELS } from './strict/strict-provider.ts'
import { startStrictRuntime } from './strict/strict-runtime.ts'
import type { Wire } from './strict/strict-rule.ts'

const call = (name: string, input: object = {}): { readonly name: string; readonly arguments: object } => ({ name, arguments: input })

/** What ends a call in each way that there is; then texts, and calls behind them. */
const ANSWERS: readonly StrictAnswer[] = [
  { text: 'First these.', calls: [call('nothing'), call('fail'), call('not_there'), call('held', { of: 5 }), call('held'), call('cut')] },
  { calls: [call('held'), call('held'), call('ask_user', { question: 'Which?' }), call('nothing')] },
  { text: 'That is all.' },
  { calls: [call('held'), call('hang')] },
  { calls: [call('nothing')] },
  { text: 'The end.' }
]

const AMOUNT = { type: 'object', properties: { of: { type: 'string' } }, additionalProperties: false } as const

const tool = (name: string, execute: Tool['execute'], approval = false): Tool<never> =>
  defineTool({ name, description: name, input: AMOUNT, approval, effect: 'read', execute })

const TOOLS: readonly Tool<never>[] = [
  tool('nothing', () => ''),
  tool('fail', () => {
    throw new Error(' ')
  }),
  tool('cut', () => 'cut \ud83d'),
  tool('held', () => ({ done: true }), true),
  tool('hang', (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))))
]

/** Whether the second call of the fourth answer runs, beside one that is held. */
async function isHanging(handle: ThreadHandle): Promise<boolean> {
  const facts = (await handle.log()).flatMap((commit) => commit.facts)
  const runs = facts.filter((fact) => fact.type === 'run.started').map((fact) => fact.run)
  return runs.length === 2 && facts.some((fact) => fact.type === 'call.started' && fact.call === `${runs[1]}//1.1`)
}

test.each(Object.keys(STRICT_MODELS) as readonly Wire[])(
  'a strict %s takes a history in which calls have ended in every way',
  async (wire) => {
    const { provider, runtime, model } = await startStrictRuntime(wire, (answers) => ANSWERS[answers] ?? { text: 'nothing more' }, TOOLS)
    const agent = {
      name: 'all',
      model,
      systemPrompt: 'Be brief.',
      tools: [...TOOLS.map(({ name }) => name), 'ask_user']
    }
    const run = await runtime.start(agent, { input: 'go \udc00' })
    // A person says something while calls wait: it comes behind their results.
    await within(run.settled())
    await run.message('meanwhile')
    for (let result = await within(run.settled()); result.status === 'waiting'; result = await within(run.settled())) {
      const [first, ...others] = result.waits.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      if (first?.kind === 'question') await runtime.answer(first.id, '  ')
      else if (others.length > 1) await runtime.deny(first?.id ?? '')
      else await runtime.approve(first?.id ?? '', { arguments: { of: 'me' } })
    }
    expect((await run.settled()).status).toBe('completed')
    await run.message('two at once')
    await run.message('and one more')
    await until(() => isHanging(run))
    await run.cancel({ graceMs: 100 })
    expect((await within(run.settled())).status).toBe('cancelled')
    await run.message('go on')
    expect(await within(run.settled())).toMatchObject({ status: 'completed', text: 'The end.' })
    expect(provider.refused).toEqual([])
    expect(provider.requests).toHaveLength(ANSWERS.length)
    const outcomes = (await run.log()).flatMap(({ facts }) => facts).flatMap((fact) => (fact.type === 'call.settled' ? [fact.outcome] : []))
    expect([...new Set(outcomes)].toSorted()).toEqual(['blocked', 'cancelled', 'denied', 'error', 'ok'])
  }
)
