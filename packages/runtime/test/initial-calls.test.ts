import { describe, expect, test } from 'vitest'
import type { HookedResult } from '../src/contracts/hook.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import { begin, LOOK, paying } from './initial-prompts-kit.ts'
import { BEFORE_CALLS } from '../src/state/initial-prompts.ts'
import { before } from './hook-kit.ts'
import { factsOfType, latch, outcomesOf, resultsIn, toolOf, userTexts, within } from './runtime-kit.ts'

const gatedBy = async (run: ThreadHandle) => (await factsOfType(run, 'call.gated')).map(({ verdict, by }) => `${verdict} ${by}`)

describe('a call of a definition is judged like that of a model', () => {
  test('by the rules of the host', async () => {
    const { ledger, model, run, settled } = await begin([{ toolCalls: [paying(1), LOOK] }, { prompt: 'then' }], {
      permissions: [{ effect: 'deny', tool: 'pay' }]
    })
    expect((await settled()).status).toBe('completed')
    expect(await gatedBy(run)).toEqual(expect.arrayContaining(['block rule', 'run schema']))
    expect(ledger.ran).toEqual([])
    expect(userTexts(model.prompts[0])).toEqual([BEFORE_CALLS, 'then', 'the task'])
    expect([...resultsIn(model.prompts[0]).values()].map(({ type }) => type)).toEqual(['error-text', 'text'])
  })

  test('by the grants of the thread', async () => {
    const { ledger, run, settled } = await begin([{ toolCalls: [paying(1)] }], { start: { grants: { tools: ['host:look'] } } })
    expect((await settled()).status).toBe('completed')
    expect(await gatedBy(run)).toEqual(['block grants'])
    expect(ledger.ran).toEqual([])
  })

  test('by hooks, which change, hold and answer it', async () => {
    const seen: unknown[] = []
    const hooks = [
      before('more', ({ tool, arguments: args }) =>
        tool === 'pay' && args['amount'] === 1 ? { do: 'modify', arguments: { amount: 2 } } : undefined
      ),
      before('see', ({ tool, injected }) => void seen.push([tool, injected])),
      { name: 'after', afterToolCall: ({ tool, injected }: HookedResult) => void seen.push([`${tool} after`, injected]) },
      before('give', ({ tool }) => (tool === 'look' ? { do: 'respond', result: 'given' } : undefined))
    ]
    const { ledger, model, settled } = await begin([{ toolCalls: [paying(1), LOOK] }], { hooks, approval: false })
    expect((await settled()).status).toBe('completed')
    expect(ledger.ran).toMatchObject([{ input: { amount: 2 } }])
    expect(seen.toSorted()).toEqual([
      ['look', true],
      ['pay after', true],
      ['pay', true]
    ])
    expect([...resultsIn(model.prompts[0]).values()].map(({ value }) => value)).toEqual(['paid {"amount":2}', 'given'])
  })

  test('against the budget of tool calls, which is waited for and leaves nothing out', async () => {
    const { run, runtime, model, ledger, settled } = await begin([{ toolCalls: [LOOK, paying(1)] }, { prompt: 'then' }], {
      approval: false,
      start: { budget: { maxToolCalls: 1 } }
    })
    const { waits } = await settled()
    expect(waits.map(({ kind }) => kind)).toEqual(['budget'])
    expect(ledger.ran).toEqual([])
    await runtime.decide(waits[0]?.id ?? '', { decision: 'extend', budget: { maxToolCalls: 2 } })
    expect((await settled()).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
    expect(userTexts(model.prompts[0])).toEqual([BEFORE_CALLS, 'then', 'the task'])
    expect((await run.budget())?.used.toolCalls).toBe(2)
  })

  test('against a hard budget, which ends the run without a word of a model', async () => {
    const { model, ledger, settled } = await begin([{ toolCalls: [paying(1)] }, { toolCalls: [paying(2)] }], {
      approval: false,
      agent: { budget: { maxToolCalls: 1, hard: true } }
    })
    expect(await settled()).toMatchObject({ status: 'stopped', stopReason: 'tool_call_budget' })
    expect(ledger.ran).toHaveLength(1)
    expect(model.prompts).toEqual([])
  })

  test('and one that fails is an error that the model reads', async () => {
    const tools = [
      toolOf('look', () => {
        throw new Error('dark')
      })
    ]
    const { model, run, settled } = await begin([{ toolCalls: [LOOK] }], { tools, agent: { tools: ['look'] } })
    expect((await settled()).status).toBe('completed')
    expect(await outcomesOf(run)).toEqual(['error'])
    expect([...resultsIn(model.prompts[0]).values()]).toEqual([{ type: 'error-text', value: 'dark' }])
  })
})

describe('a call of a definition that waits', () => {
  const prompts = [{ toolCalls: [paying(3)] }, { prompt: 'left out', toolCalls: [paying(4)] }]

  test.each([
    ['approved', { decision: 'approve' } as const, 'ok', 3],
    ['approved with other arguments', { decision: 'approve', arguments: { amount: 9 } } as const, 'ok', 9],
    ['denied', { decision: 'deny', reason: 'no' } as const, 'denied', undefined]
  ])('is %s, and the run goes on with the task', async (_, decision, outcome, amount) => {
    const { ledger, model, runtime, run, settled } = await begin(prompts)
    const { waits } = await settled()
    expect(model.prompts).toEqual([])
    await runtime.decide(waits[0]?.id ?? '', decision)
    expect((await settled()).status).toBe('completed')
    expect(await outcomesOf(run)).toEqual([outcome])
    expect(ledger.ran.map(({ input }) => input)).toEqual(amount === undefined ? [] : [{ amount }])
    expect(userTexts(model.prompts[0])).toEqual([BEFORE_CALLS, 'the task'])
  })

  test('for an answer has the answer as its result', async () => {
    const { model, run, settled } = await begin([
      { toolCalls: [{ tool: 'ask_user', arguments: { question: 'Which?', options: ['red', 'blue'] } }, LOOK] },
      { prompt: 'left out' }
    ])
    expect((await settled()).waits).toMatchObject([{ kind: 'question', subject: { question: 'Which?' } }])
    expect(model.prompts).toEqual([])
    await run.message('Blue')
    expect((await settled()).status).toBe('completed')
    expect([...resultsIn(model.prompts[0]).values()].map(({ value }) => value)).toEqual(['blue', 'seen'])
    expect(userTexts(model.prompts[0])).toEqual([BEFORE_CALLS, 'the task'])
  })

  test('keeps messages waiting, which come behind the task', async () => {
    const { model, runtime, run, settled } = await begin(prompts)
    const { waits } = await settled()
    await run.message('one more thing')
    expect((await settled()).status).toBe('waiting')
    await runtime.approve(waits[0]?.id ?? '')
    expect((await settled()).status).toBe('completed')
    expect(userTexts(model.prompts[0])).toEqual([BEFORE_CALLS, 'the task', 'one more thing'])
  })
})

describe('while the calls of a definition run', () => {
  const hanging = () => {
    const started = latch()
    const tool = toolOf(
      'look',
      (_, { signal }) => {
        started.open()
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')))
      },
      { effect: 'read' }
    )
    return { started: started.opened, tools: [tool], agent: { tools: ['look'] } }
  }

  test('a cancel ends the run without asking a model, and the next run has the task behind it', async () => {
    const { started, ...setting } = hanging()
    const { model, run, settled } = await begin([{ toolCalls: [LOOK] }, { toolCalls: [LOOK] }], setting)
    await within(started)
    await run.cancel({ graceMs: 50 })
    expect((await settled()).status).toBe('cancelled')
    expect(model.prompts).toEqual([])
    expect(await outcomesOf(run)).toHaveLength(1)
    await run.message('go on')
    expect((await settled()).status).toBe('completed')
    expect(userTexts(model.prompts[0])).toEqual([BEFORE_CALLS, 'the task', 'go on'])
  })

  test('an interrupt aborts none of them, and is read behind the task', async () => {
    const { open, opened } = latch()
    const started = latch()
    const slow = toolOf('look', async () => {
      started.open()
      await opened
      return 'seen'
    })
    const { model, run, settled } = await begin([{ toolCalls: [LOOK] }], { tools: [slow], agent: { tools: ['look'] } })
    await within(started.opened)
    await run.message('hurry', { interrupt: true })
    open()
    expect((await settled()).status).toBe('completed')
    expect(await outcomesOf(run)).toEqual(['ok'])
    expect(userTexts(model.prompts[0]).slice(0, 3)).toEqual([BEFORE_CALLS, 'the task', 'hurry'])
  })
})
