import { DONE, events, namedEvents } from '../fake-provider.ts'
import { at, listAt } from './body-reader.ts'
import { signatureOf } from './google-signature.ts'
import type { Wire } from './strict-rule.ts'

/** What a model says: a text, calls, or both. */
export interface StrictAnswer {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[]
}

/** A wire as a fake speaks it. */
interface Speaker {
  /** How often the model has answered in the conversation that a body holds. */
  answersIn(body: unknown): number
  /** The stream of an answer; `nth` makes its ids unlike those of others. */
  say(answer: StrictAnswer, nth: number): readonly string[]
  refuse(message: string): object
}

/** How each provider streams, and how it refuses. */
export const SPEAKERS: { readonly [wire in Wire]: Speaker } = {
  'openai-chat': {
    answersIn: (body) => roles(listAt(body, 'messages'), 'assistant'),
    say({ text, calls = [] }, nth) {
      const chunk = (delta: object, more: object = {}) => ({
        id: 'c',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, ...more }]
      })
      const pieces = calls.flatMap(({ name, arguments: input }, index) => {
        const json = JSON.stringify(input)
        return [
          chunk({ tool_calls: [{ index, id: `call_${nth}_${index}`, type: 'function', function: { name, arguments: '' } }] }),
          chunk({ tool_calls: [{ index, function: { arguments: json.slice(0, 3) } }] }),
          chunk({ tool_calls: [{ index, function: { arguments: json.slice(3) } }] })
        ]
      })
      const end = chunk({}, { finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' })
      const usage = { id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }
      return [...events(...(text === undefined ? [] : [chunk({ content: text })]), ...pieces, end, usage), DONE]
    },
    refuse: (message) => ({ error: { message, type: 'invalid_request_error', param: 'messages', code: null } })
  },
  'openai-responses': {
    answersIn: (body) => groups(listAt(body, 'input'), isAnswerItem),
    say({ text, calls = [] }, nth) {
      const added = (index: number, item: object, done: object) => [
        { type: 'response.output_item.added', output_index: index, item },
        { type: 'response.output_item.done', output_index: index, item: done }
      ]
      const thought = { type: 'reasoning', id: `rs_${nth}`, encrypted_content: `sealed-${nth}`, summary: [] }
      const items = calls.flatMap(({ name, arguments: input }, index) => {
        const item = { type: 'function_call', id: `fc_${nth}_${index}`, call_id: `call_${nth}_${index}`, name }
        const done = { ...item, arguments: JSON.stringify(input), status: 'completed' }
        return added(index + 1, { ...item, arguments: '', status: 'in_progress' }, done)
      })
      const message = { type: 'message', id: `msg_${nth}`, role: 'assistant' }
      const spoken = [
        { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
        { type: 'response.output_text.delta', item_id: `msg_${nth}`, output_index: 0, content_index: 0, delta: text },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { ...message, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }
        }
      ]
      return events(
        { type: 'response.created', response: { id: `resp_${nth}`, created_at: 1, model: 'm' } },
        ...(calls.length > 0 ? added(0, { ...thought }, thought) : []),
        ...(text === undefined ? [] : spoken),
        ...items,
        { type: 'response.completed', response: { id: `resp_${nth}`, usage: { input_tokens: 10, output_tokens: 5 } } }
      )
    },
    refuse: (message) => ({ error: { message, type: 'invalid_request_error', param: 'input', code: null } })
  },
  anthropic: {
    answersIn: (body) => roles(listAt(body, 'messages'), 'assistant'),
    say({ text, calls = [] }, nth) {
      const block = (index: number, content: object, delta: object) => [
        { type: 'content_block_start', index, content_block: content },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index }
      ]
      const first = text === undefined ? 0 : 1
      return namedEvents(
        {
          type: 'message_start',
          message: {
            id: `msg_${nth}`,
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            stop_reason: null,
            usage: { input_tokens: 10, output_tokens: 1 }
          }
        },
        ...(text === undefined ? [] : block(0, { type: 'text', text: '' }, { type: 'text_delta', text })),
        ...calls.flatMap(({ name, arguments: input }, index) =>
          block(
            first + index,
            { type: 'tool_use', id: `toolu_${nth}_${index}`, name, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(input) }
          )
        ),
        {
          type: 'message_delta',
          delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
          usage: { output_tokens: 5 }
        },
        { type: 'message_stop' }
      )
    },
    refuse: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } })
  },
  google: {
    answersIn: (body) => roles(listAt(body, 'contents'), 'model'),
    say({ text, calls = [] }) {
      const parts = [
        ...(text === undefined ? [] : [{ text }]),
        ...calls.map(({ name, arguments: args }, index) => ({
          functionCall: { name, args },
          // Only the first of several calls is signed.
          ...(index === 0 ? { thoughtSignature: signatureOf(name, args) } : {})
        }))
      ]
      return events({
        candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
      })
    },
    refuse: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })
  }
}

function roles(messages: readonly unknown[], role: string): number {
  return messages.filter((message) => at(message, 'role') === role).length
}

/** How many runs of items of an answer there are. */
function groups(items: readonly unknown[], isOne: (item: unknown) => boolean): number {
  return items.filter((item, index) => isOne(item) && !isOne(items[index - 1])).length
}

function isAnswerItem(item: unknown): boolean {
  return ['reasoning', 'function_call'].includes(String(at(item, 'type'))) || at(item, 'role') === 'assistant'
}
