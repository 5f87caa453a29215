import { describe, expect, test } from 'vitest'
import type { ModelResponse } from '../../runtime/src/effects/read-response.ts'
import { ask, DRIVERS, finish, stream } from './chat-wire.ts'
import { events } from './fake-provider.ts'

/** What of a call stands on the wire. */
interface WireCall {
  readonly index?: unknown
  readonly id?: unknown
  readonly type?: string
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

const calls = (...list: readonly WireCall[]): unknown => ({ choices: [{ index: 0, delta: { tool_calls: list } }] })
const get = (id: unknown, text: unknown, more: WireCall = {}): WireCall => ({ id, function: { name: 'get', arguments: text }, ...more })

/** Tool and arguments of the calls of a response. */
function callsOf(response: ModelResponse): readonly string[] {
  if (response.kind === 'failed') return [response.error.code]
  return response.parts.flatMap((part) => (part.type === 'tool-call' ? [`${part.tool}${part.input}`] : []))
}

describe.each(DRIVERS.map((toProvider) => ({ toProvider, driver: toProvider('http://h').driver })))(
  'calls on the wire of $driver',
  ({ toProvider }) => {
    test.each<[string, string[], string[]]>([
      // B001
      [
        'arguments that are empty',
        stream(calls({ index: 0, id: 'c', function: { name: 'now', arguments: '' } }), finish('tool_calls')),
        ['now']
      ],
      [
        'arguments that are null',
        stream(calls({ index: 0, id: 'c', function: { name: 'now', arguments: null } }), finish('tool_calls')),
        ['now']
      ],
      ['arguments that are absent', stream(calls({ index: 0, id: 'c', function: { name: 'now' } }), finish('tool_calls')), ['now']],
      [
        'arguments that are blank',
        stream(calls({ index: 0, id: 'c', function: { name: 'now', arguments: '  \n' } }), finish('tool_calls')),
        ['now  \n']
      ],
      ['arguments that are an object', stream(calls(get('c', { k: 1 }, { index: 0 })), finish('tool_calls')), ['get{"k":1}']],
      // B003
      [
        'two calls of index 0',
        stream(calls(get('a', '{"k":1}', { index: 0 })), calls(get('b', '{"k":2}', { index: 0 })), finish('tool_calls')),
        ['get{"k":1}', 'get{"k":2}']
      ],
      [
        'two calls of index 0 in one chunk',
        stream(calls(get('a', '{"k":1}', { index: 0 }), get('b', '{"k":2}', { index: 0 })), finish('tool_calls')),
        ['get{"k":1}', 'get{"k":2}']
      ],
      [
        'two calls of index 0 in pieces',
        stream(
          calls(get('a', '', { index: 0 })),
          calls({ index: 0, function: { arguments: '{"k":1}' } }),
          calls(get('b', '', { index: 0 })),
          calls({ index: 0, function: { arguments: '{"k":2}' } }),
          finish('tool_calls')
        ),
        ['get{"k":1}', 'get{"k":2}']
      ],
      [
        'two calls of index 0 without arguments',
        stream(
          calls({ index: 0, id: 'a', function: { name: 'now', arguments: '' } }),
          calls({ index: 0, id: 'b', function: { name: 'now', arguments: '' } }),
          finish('tool_calls')
        ),
        ['now', 'now']
      ],
      // B004
      [
        'pieces with and without index',
        stream(
          calls(get('a', '{"k":')),
          calls({ function: { arguments: '1}' } }),
          calls({ id: 'b', function: { name: 'put', arguments: '{"v":' } }),
          calls({ index: 1, function: { arguments: '2}' } }),
          finish('tool_calls')
        ),
        ['get{"k":1}', 'put{"v":2}']
      ],
      [
        'pieces that repeat id and name',
        stream(calls(get('a', '{"k":')), calls(get('a', '1')), calls(get('a', '}')), finish('tool_calls')),
        ['get{"k":1}']
      ],
      [
        'pieces that repeat id, name and index around an inner object',
        stream(
          calls(get('a', '{"k":', { index: 0 })),
          calls(get('a', '{"x":1}', { index: 0 })),
          calls(get('a', '}', { index: 0 })),
          finish('tool_calls')
        ),
        ['get{"k":{"x":1}}']
      ],
      [
        'indexes with gaps',
        stream(calls(get('a', '{"k":1}', { index: 1 })), calls(get('b', '{"k":2}', { index: 3 })), finish('tool_calls')),
        ['get{"k":1}', 'get{"k":2}']
      ],
      [
        'pieces with an empty id and no name',
        stream(
          calls(get('a', '{"k":')),
          calls({ id: '', function: { name: null, arguments: '1' } }),
          calls({ id: '', type: '', function: { name: '', arguments: '}' } }),
          finish('tool_calls')
        ),
        ['get{"k":1}']
      ],
      [
        'pieces of two calls in turn',
        stream(
          calls(get('a', '{"k":', { index: 0 }), get('b', '{"k":', { index: 1 })),
          calls({ index: 1, function: { arguments: '2}' } }),
          calls({ index: 0, function: { arguments: '1}' } }),
          finish('tool_calls')
        ),
        ['get{"k":1}', 'get{"k":2}']
      ],
      [
        'a name behind the arguments',
        stream(
          calls({ index: 0, id: 'a', function: { arguments: '{"k"' } }),
          calls({ index: 0, function: { name: 'get', arguments: ':1}' } }),
          finish('tool_calls')
        ),
        ['get{"k":1}']
      ],
      [
        'a name that never comes',
        stream(calls({ index: 0, id: 'a', function: { arguments: '{}' } }), finish('tool_calls')),
        ['provider_unavailable']
      ],
      [
        'a call that is sent once more as a whole',
        stream(calls(get('a', '{"k":1}', { index: 0 })), calls(get('a', '{"k":1}', { index: 0 })), finish('tool_calls')),
        ['get{"k":1}']
      ],
      [
        'another id in every piece',
        stream(calls(get('a', '{"k":', { index: 0 })), calls(get('b', '1}', { index: 0 })), finish('tool_calls')),
        ['get{"k":1}']
      ],
      [
        'an id that is a number and an index that is text',
        stream(calls(get(7, '{"k":1}', { index: '0' })), finish('tool_calls')),
        ['get{"k":1}']
      ],
      [
        'a call in the old form',
        stream(
          { choices: [{ delta: { function_call: { name: 'get', arguments: '{"k":' } } }] },
          { choices: [{ delta: { function_call: { arguments: '1}' } } }] },
          finish('function_call')
        ),
        ['get{"k":1}']
      ],
      // B006
      [
        'empty ids and finish "stop"',
        stream(calls(get('', '{"k":1}', { index: 0 }), get('', '{"k":2}', { index: 1 })), finish('stop')),
        ['get{"k":1}', 'get{"k":2}']
      ],
      [
        'empty ids, no index and finish "stop"',
        stream(calls(get('', '{"k":1}'), get('', '{"k":2}')), finish('stop')),
        ['get{"k":1}', 'get{"k":2}']
      ],
      // B008
      [
        'a cut behind a part of the arguments',
        events(calls({ index: 0, id: 'a', function: { name: 'write', arguments: '{' } })),
        ['stream_interrupted']
      ],
      [
        'a cut behind all of the arguments',
        events(calls({ index: 0, id: 'a', function: { name: 'write', arguments: '{"path":"a"}' } })),
        ['stream_interrupted']
      ],
      [
        '[DONE] without a finish behind complete arguments',
        stream(calls({ index: 0, id: 'a', function: { name: 'write', arguments: '{"path":"a"}' } })),
        ['write{"path":"a"}']
      ],
      [
        '[DONE] without a finish behind a part of the arguments',
        stream(calls({ index: 0, id: 'a', function: { name: 'write', arguments: '{' } })),
        ['stream_interrupted']
      ]
    ])('are read: %s', async (_name, chunks, expected) => {
      expect(callsOf(await ask(chunks, toProvider))).toEqual(expected)
    })

    // B006
    test('are read from an answer that came whole although a stream was asked for, with ids that differ', async () => {
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: [get('', '{"k":1}', { type: 'function' }), get('', '{"k":2}', { type: 'function' })]
      }
      const body = JSON.stringify({ choices: [{ finish_reason: 'stop', message }], usage: null })
      const response = await ask([body], toProvider, { headers: { 'content-type': 'application/json' } })
      expect(callsOf(response)).toEqual(['get{"k":1}', 'get{"k":2}'])
      const ids = response.kind === 'responded' ? response.parts.map((part) => (part.type === 'tool-call' ? part.id : '')) : []
      expect(new Set(ids.filter((id) => id !== '')).size).toBe(2)
    })

    // B007
    test('may be announced and not come', async () => {
      expect(await ask(stream(finish('tool_calls')), toProvider)).toMatchObject({ kind: 'responded', parts: [], finish: 'tool-calls' })
    })
  }
)
