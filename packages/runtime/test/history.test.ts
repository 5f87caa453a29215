import { describe, expect, test } from 'vitest'
import type { CallResult, Part } from '../src/contracts/message.ts'
import { toUserMessage } from '../src/state/history.ts'
import { checkHistory } from './model/check-history.ts'
import { foldLog } from './model/fold-log.ts'
import { answer, callPart, result, textPart } from './model/outcomes.ts'
import { PureThread } from './model/pure-thread.ts'

/** A thread that has been answered with these parts; its calls were answered by the gate. */
function answered(...answers: readonly (readonly Part[])[]): PureThread {
  const thread = new PureThread().claim()
  thread.message()
  thread.commit()
  for (const parts of answers) thread.commit(...answer(thread.state, parts, { verdicts: parts.map(() => 'respond') }))
  return thread
}

function callIds(thread: PureThread): readonly string[] {
  return thread.conversation.history.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : []
  )
}

function resultIds(thread: PureThread): readonly string[] {
  return thread.conversation.history.flatMap((message) =>
    message.role === 'tool' ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : []
  )
}

describe('ids on the wire', () => {
  // B006
  test('are made where the model gives none, one for each call, and are the same after a restart', () => {
    const thread = answered([callPart('look', '{"k":1}'), callPart('look', '{"k":2}')])
    expect(new Set(callIds(thread)).size).toBe(2)
    expect(resultIds(thread)).toEqual(callIds(thread))
    const again = foldLog('thr_1', thread.publication, thread.log)
    expect(again.conversations.get('')?.history).toEqual(thread.conversation.history)
  })

  // B018
  test('are unique when the model uses one again in a later turn', () => {
    const thread = answered(
      [callPart('look', '{"k":1}', 'get:0')],
      [callPart('look', '{"k":2}', 'get:0')],
      [callPart('look', '{"k":3}', 'get:0')]
    )
    expect(callIds(thread)[0]).toBe('get:0')
    expect(new Set(callIds(thread)).size).toBe(3)
    expect(resultIds(thread)).toEqual(callIds(thread))
  })

  // B018
  test('are unique when the model uses one twice in a turn', () => {
    const thread = answered([callPart('look', '{"k":1}', 'a'), callPart('look', '{"k":2}', 'a')])
    expect(new Set(callIds(thread)).size).toBe(2)
    expect(checkHistory(thread.conversation.history)).toBeNull()
  })

  // B018
  test('that are made never equal one that the model gave', () => {
    const [, made = ''] = callIds(answered([callPart('look', '{"k":1}', 'x'), callPart('look', '{"k":2}')]))
    const thread = answered([callPart('look', '{"k":1}', made), callPart('look', '{"k":2}')])
    expect(callIds(thread)[0]).toBe(made)
    expect(new Set(callIds(thread)).size).toBe(2)
  })
})

describe('an answer', () => {
  // B023
  test.each([
    ['nothing', []],
    ['reasoning alone', [{ type: 'reasoning', text: 'hm' }]],
    ['an empty text', [textPart('')]],
    ['a blank text', [textPart('\n ')]]
  ] as const)('of %s is not shown, and what a person says next is', (_what, parts) => {
    const thread = answered(parts, parts, parts)
    expect(thread.state.run?.status).toBe('failed')
    thread.message('again')
    thread.commit()
    expect(thread.conversation.history.map((message) => message.role)).toEqual(['user', 'user'])
    expect(checkHistory(thread.conversation.history)).toBeNull()
  })

  // B023
  test('with a call and an empty text shows the call alone', () => {
    const thread = answered([textPart(''), callPart('look', '{"k":1}', 'a')])
    expect(thread.conversation.history[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { k: 1 } }]
    })
  })

  test('keeps its parts in order, with what the provider attached to them', () => {
    const metadata = { anthropic: { signature: 's' } }
    const thread = answered([{ type: 'reasoning', text: 'hm', metadata }, textPart('so'), callPart('look', '', 'a')])
    expect(thread.conversation.history[1]?.content).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: metadata },
      { type: 'text', text: 'so' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }
    ])
  })

  test('shows arguments that are not one JSON object as the model wrote them', () => {
    const thread = new PureThread().claim()
    thread.message()
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look', '{"k":', 'a')], { verdicts: [null] }))
    expect(thread.conversation.history[1]?.content).toMatchObject([{ toolCallId: 'a', input: { unreadable_arguments: '{"k":' } }])
  })

  // B013
  test('shows no lone surrogate that an escape in the arguments hides', () => {
    const thread = answered([callPart('look', '{"q":"x\\ud99c y","\\ud800":1}', 'a')])
    expect(thread.conversation.history[1]?.content).toMatchObject([{ input: { q: 'x\ufffd y', '\ufffd': 1 } }])
    expect(JSON.stringify(thread.conversation.history).isWellFormed()).toBe(true)
  })

  test('with a call that the provider ran itself has nothing to run', () => {
    const call: Part = { type: 'tool-call', id: 'p', tool: 'web_search', input: '{"q":1}', providerExecuted: true }
    const thread = answered([call, { type: 'tool-result', id: 'p', tool: 'web_search', result: [1] }, textPart('found')])
    expect(thread.factsOf('run.ended')).toMatchObject([{ status: 'completed', output: { inline: 'found' } }])
    expect(thread.conversation.history[1]?.content).toMatchObject([
      { type: 'tool-call', toolCallId: 'p', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', output: { type: 'json', value: [1] } },
      { type: 'text' }
    ])
  })
})

describe('results', () => {
  const shown = (given: CallResult): unknown => {
    const thread = new PureThread().claim()
    thread.message()
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look', '{}', 'a')]))
    thread.commit(result(thread.state, 0, given))
    const [part] = thread.conversation.history.at(-1)?.content ?? []
    return typeof part === 'object' && part.type === 'tool-result' ? part.output : null
  }

  // I7
  test('stand in call order, whatever ended first', () => {
    const thread = new PureThread().claim()
    thread.message()
    thread.commit()
    thread.commit(...answer(thread.state, [callPart('look', '{"k":1}', 'a'), callPart('look', '{"k":2}', 'b'), callPart('put', '{}', 'c')]))
    for (const position of [2, 0, 1]) thread.commit(result(thread.state, position))
    expect(resultIds(thread)).toEqual(['a', 'b', 'c'])
    expect(checkHistory(thread.conversation.history)).toBeNull()
  })

  // B024
  test.each([[''], [' '], ['\n']])('without text say so (%j)', (value) => {
    expect(shown({ value })).toEqual({ type: 'text', value: '(no output)' })
  })

  // B024
  test.each([null, 0, false, [], {}].map((value) => [value]))('keep the value %j', (value) => {
    expect(shown({ value })).toEqual({ type: 'json', value })
  })

  // B024
  test('that are errors without a message say so', () => {
    expect(shown({ error: ' ' })).toEqual({ type: 'error-text', value: 'failed without a message' })
  })
})

describe('a message of a person', () => {
  test('without anything to show is not shown', () => {
    expect(toUserMessage([textPart(' ')])).toBeNull()
  })

  test('keeps its files', () => {
    expect(toUserMessage([{ type: 'file', mediaType: 'image/png', filename: 'a.png', source: { data: 'QQ==' } }])).toEqual({
      role: 'user',
      content: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'QQ==' } }]
    })
  })
})
