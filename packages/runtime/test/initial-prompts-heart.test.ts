import { describe, expect, test } from 'vitest'
import type { InjectedPrompt } from '../src/contracts/initial-prompt.ts'
import type { Json } from '../src/contracts/json.ts'
import type { Limits } from '../src/contracts/publication.ts'
import { BEFORE_CALLS } from '../src/state/initial-prompts.ts'
import { foldLog } from './model/fold-log.ts'
import { checkHistory } from './model/check-history.ts'
import { answer, gated, result, suspended, textPart } from './model/outcomes.ts'
import { publicationOf, toolOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

const TOOLS = [
  toolOf('look'),
  toolOf('pay', { effect: 'once' }),
  toolOf('move', { effect: 'once', parallelSafe: false }),
  toolOf('ask_user', { identity: 'agent:ask_user' })
]

const look = { tool: 'look', input: '{}' }
const pay = { tool: 'pay', input: '{"amount":1}' }

/** A thread that begins with these prompts, and then with its task. */
function begun(initial: readonly InjectedPrompt[], limits: Limits = {}): PureThread {
  const thread = new PureThread(publicationOf(TOOLS, limits)).claim()
  const body = { run: 'run_1', parts: [textPart('the task')], initial }
  thread.deliver('start', body as unknown as Json)
  return thread
}

/** The history in short: who says what, calls by their number, results by what they give. */
function shown({ conversation }: PureThread): readonly string[] {
  return conversation.history.map((message) =>
    typeof message.content === 'string'
      ? `${message.role}: ${message.content}`
      : `${message.role}: ${message.content
          .map((part) => {
            if (part.type === 'text') return part.text
            if (part.type === 'tool-call') return `${part.toolName}`
            return part.type === 'tool-result' && 'value' in part.output ? String(part.output.value) : part.type
          })
          .join(', ')}`
  )
}

/** The gate lets these calls of the open turn run. */
const run = (thread: PureThread, ...positions: number[]) =>
  thread.commit(...positions.map((position) => gated(thread.state, `run_1//0.${position}`, 'run')))

const end = (thread: PureThread, position: number) => thread.commit(result(thread.state, position))

describe('initial prompts', () => {
  test('stand before the task, in their order, and no model is asked before their calls are over', () => {
    const thread = begun([
      { text: 'first' },
      { text: 'look around', calls: [look, pay] },
      { text: 'between' },
      { calls: [look] },
      { text: 'last' }
    ])
    const { types, actions } = thread.commit()
    expect(types).toEqual(['attempt.claimed', 'run.started', 'prompts.injected', 'message.received'])
    expect(actions).toEqual(['run_1//0.0#gate', 'run_1//0.1#gate'])
    expect(shown(thread)).toEqual(['user: first', 'user: look around', 'assistant: look, pay'])
    run(thread, 0, 1)
    end(thread, 1)
    expect(end(thread, 0).actions).toEqual(['run_1//0.2#gate'])
    expect(thread.state.run?.turns).toBe(0)
    run(thread, 2)
    const { types: then, actions: asks } = end(thread, 2)
    expect(then).toEqual(['call.settled', 'turn.started'])
    expect(asks).toEqual(['run_1//1#1'])
    expect(shown(thread)).toEqual([
      ...['user: first', 'user: look around', 'assistant: look, pay', 'tool: done, done'],
      ...['user: between', 'assistant: look', 'tool: done', 'user: last', 'user: the task']
    ])
    expect(checkHistory(thread.conversation.history)).toBeNull()
  })

  test('of texts alone are no turn', () => {
    const thread = begun([{ text: 'first' }, { role: 'system', text: 'be kind' }, { text: ' ' }, { role: 'system', text: 'be brief' }])
    expect(thread.commit().types.at(-1)).toBe('turn.started')
    expect(shown(thread)).toEqual(['user: first', 'user: the task'])
    expect(thread.conversation.system).toEqual(['be kind', 'be brief'])
  })

  test('are said to begin where calls would be the first thing that is said', () => {
    const thread = begun([{ role: 'system', text: 'be kind' }, { calls: [look] }])
    thread.commit()
    run(thread, 0)
    end(thread, 0)
    expect(shown(thread)).toEqual([`user: ${BEFORE_CALLS}`, 'assistant: look', 'tool: done', 'user: the task'])
  })

  test('number their calls through, with ids on the wire that are used once', () => {
    const thread = begun([{ calls: [look, look] }, { calls: [look] }, { calls: [pay] }])
    thread.commit()
    run(thread, 0, 1)
    end(thread, 0)
    end(thread, 1)
    run(thread, 2)
    end(thread, 2)
    run(thread, 3)
    end(thread, 3)
    expect(thread.factsOf('call.settled').map(({ call }) => call)).toEqual([0, 1, 2, 3].map((n) => `run_1//0.${n}`))
    expect(thread.factsOf('turn.started').map(({ turn }) => turn)).toEqual(['run_1//1'])
    expect(checkHistory(thread.conversation.history)).toBeNull()
  })

  test('run one after another where one call of a prompt is not safe beside others', () => {
    const thread = begun([{ calls: [look, { tool: 'move', input: '{}' }] }, { calls: [look, pay] }])
    thread.commit()
    expect(run(thread, 0, 1).actions).toEqual(['run_1//0.0#1.1'])
    expect(end(thread, 0).actions).toEqual(['run_1//0.1#1.1'])
    end(thread, 1)
    // The unsafe one belongs to another prompt.
    expect(run(thread, 2, 3).actions).toEqual(['run_1//0.2#1.1', 'run_1//0.3#1.1'])
  })

  test('may make the same call as often as they want to: no model is caught in it', () => {
    const thread = begun([{ calls: [look, look] }, { calls: [look] }], { maxRepeatedCalls: 2 })
    thread.commit()
    run(thread, 0, 1)
    end(thread, 0)
    end(thread, 1)
    run(thread, 2)
    expect(end(thread, 2).types).toEqual(['call.settled', 'turn.started'])
  })

  test('a call that fails is a result like any other', () => {
    const thread = begun([{ calls: [look] }, { text: 'then' }])
    thread.commit()
    run(thread, 0)
    thread.commit(result(thread.state, 0, { error: 'broken' }, 'error'))
    expect(shown(thread).slice(-3)).toEqual(['tool: broken', 'user: then', 'user: the task'])
  })
})

describe('a call that waits', () => {
  const held = (prompts: readonly InjectedPrompt[]): PureThread => {
    const thread = begun(prompts)
    thread.commit()
    return thread
  }

  test.each(['approve', 'deny'])('leaves out the prompts behind it when the decision is %s, and the task is next', (decision) => {
    const thread = held([{ text: 'a', calls: [look, pay] }, { text: 'left out' }, { calls: [look] }, { role: 'system', text: 'left out' }])
    const { plan } = thread.commit(gated(thread.state, 'run_1//0.0', 'run'), gated(thread.state, 'run_1//0.1', 'hold', 'pay', pay.input))
    expect(plan.rest).toBe(false)
    expect(end(thread, 0).plan.rest).toBe(true)
    expect(thread.factsOf('wait.opened').map(({ wait, subject }) => [wait, subject])).toEqual([
      ['thr_1:run_1//0.1:approval:1', { inline: expect.objectContaining({ tool: 'pay', injected: true }) }]
    ])
    thread.decide(1, decision)
    const { actions } = thread.commit()
    if (decision === 'approve') {
      expect(actions).toEqual(['run_1//0.1#gate.1'])
      thread.commit(gated(thread.state, 'run_1//0.1', 'run', 'pay', pay.input))
      end(thread, 1)
    }
    expect(shown(thread).at(-1)).toBe('user: the task')
    expect(shown(thread).slice(0, 2)).toEqual(['user: a', 'assistant: look, pay'])
    expect(shown(thread)).toHaveLength(4)
    expect(thread.conversation.system).toEqual([])
    expect(thread.plan().actions).toMatchObject([{ do: 'infer', turn: 'run_1//1' }])
  })

  test('for an answer is answered by the next message of a person, and the task stands behind it', () => {
    const thread = held([{ calls: [{ tool: 'ask_user', input: '{"question":"Which?"}' }] }, { text: 'left out' }])
    expect(thread.commit(gated(thread.state, 'run_1//0.0', 'hold', 'ask_user', '{"question":"Which?"}')).plan.rest).toBe(true)
    thread.now++
    thread.message('the blue one')
    expect(thread.commit().types).toEqual(['wait.resolved', 'call.settled', 'turn.started'])
    expect(shown(thread)).toEqual([`user: ${BEFORE_CALLS}`, 'assistant: ask_user', 'tool: the blue one', 'user: the task'])
  })

  test('in the middle of its work does the same', () => {
    const thread = held([{ calls: [pay] }, { text: 'left out' }])
    run(thread, 0)
    thread.commit(suspended(thread.state, thread.call(0), 'external'))
    thread.decide(0, { decision: 'answer', answer: 7 })
    thread.commit()
    end(thread, 0)
    expect(shown(thread).at(-1)).toBe('user: the task')
    expect(shown(thread)).not.toContain('user: left out')
  })

  test('because nobody knows what became of it leaves nothing out: that is no part of what was asked for', () => {
    const tools = [...TOOLS, toolOf('charge', { effect: 'once', onUnknown: 'ask' })]
    const thread = new PureThread(publicationOf(tools)).claim()
    const initial = [{ calls: [{ tool: 'charge', input: '{}' }] }, { text: 'then' }]
    thread.deliver('start', { run: 'run_1', parts: [textPart('the task')], initial } as unknown as Json)
    thread.commit()
    run(thread, 0)
    thread.claim()
    // Not before its first owner can no longer be at it.
    thread.now += 1_000_000
    expect(thread.commit().types).toEqual(['attempt.claimed', 'wait.opened'])
    thread.decide(0, { decision: 'outcome', outcome: 'happened', result: 'paid' })
    thread.commit()
    expect(shown(thread).slice(-3)).toEqual(['tool: paid', 'user: then', 'user: the task'])
  })
})

describe('while the calls of initial prompts are open', () => {
  test.each(['message', 'interrupt'] as const)('a %s waits, and stands behind the task', (kind) => {
    const thread = begun([{ calls: [look] }, { calls: [look] }])
    thread.commit()
    thread.message('meanwhile', kind)
    run(thread, 0)
    end(thread, 0)
    run(thread, 1)
    expect(thread.pending).toHaveLength(1)
    end(thread, 1)
    expect(shown(thread).slice(-2)).toEqual(['user: the task', 'user: meanwhile'])
  })

  test('a cancel settles them, leaves out the rest and keeps the task', () => {
    const thread = begun([{ calls: [look, pay] }, { text: 'left out', calls: [look] }])
    thread.commit()
    run(thread, 0)
    thread.deliver('cancel', {})
    const { types, actions } = thread.commit()
    expect(types).toEqual(['run.cancelRequested', 'call.settled'])
    expect(actions).toEqual(['run_1//0.0#1.1'])
    expect(end(thread, 0).types).toEqual(['call.settled', 'run.ended'])
    expect(shown(thread)).toEqual([
      `user: ${BEFORE_CALLS}`,
      'assistant: look, pay',
      'tool: done, cancelled before it was run',
      'user: the task'
    ])
    // The next run has all of it behind it.
    thread.message('and now?')
    thread.commit()
    expect(thread.factsOf('prompts.injected')).toHaveLength(1)
    expect(shown(thread).at(-1)).toBe('user: and now?')
    expect(checkHistory(thread.conversation.history)).toBeNull()
  })

  test('a cancel that came before the thread was looked at runs none of them', () => {
    const thread = begun([{ calls: [look] }, { calls: [pay] }])
    thread.deliver('cancel', {})
    expect(thread.commit().types).toEqual([
      ...['attempt.claimed', 'run.started', 'prompts.injected', 'message.received'],
      ...['run.cancelRequested', 'call.settled', 'run.ended']
    ])
    expect(shown(thread).at(-1)).toBe('user: the task')
  })

  test('every fold of the log is the state that was kept', () => {
    const thread = begun([{ text: 'a', calls: [look] }, { role: 'system', text: 's' }, { calls: [pay] }, { text: 'z' }])
    const check = () => expect(foldLog('thr_1', thread.publication, JSON.parse(JSON.stringify(thread.log)))).toEqual(thread.state)
    thread.commit()
    check()
    run(thread, 0)
    check()
    end(thread, 0)
    check()
    thread.commit(gated(thread.state, 'run_1//0.1', 'hold', 'pay', pay.input))
    check()
    thread.decide(0, 'deny')
    thread.commit()
    check()
    thread.commit(...answer(thread.state, [textPart('done')]))
    check()
    expect(thread.state.run?.status).toBe('completed')
  })

  test('a log that ends a run in the middle of them still has its task, and can be read', () => {
    const thread = begun([{ calls: [look] }, { text: 'left out' }])
    thread.commit()
    const log = [
      ...thread.log,
      { at: 1, attempt: 1, sequence: 3, facts: [{ v: 1, type: 'run.ended' as const, run: 'run_1', status: 'failed' as const }] }
    ]
    const { initial, history } = [...foldLog('thr_1', thread.publication, log).conversations.values()][0] ?? {}
    expect(initial).toBeNull()
    expect(history?.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'the task' }] })
  })
})
