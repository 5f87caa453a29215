import { at, hasTwice, listAt, textAt } from './body-reader.ts'
import type { StrictRuleOf } from './strict-rule.ts'

const CREATE = 'https://platform.openai.com/docs/api-reference/responses/create'
const FUNCTIONS = 'https://platform.openai.com/docs/guides/function-calling'
const REASONING = 'https://platform.openai.com/docs/guides/reasoning'

const tools = [{ type: 'function', name: 'pay', parameters: { type: 'object' } }]
const go = { role: 'user', content: [{ type: 'input_text', text: 'go' }] }
const call = (id: string, more: object = {}): object => ({ type: 'function_call', call_id: id, name: 'pay', arguments: '{}', ...more })
const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: 'paid' })
const reasoning = (id: string, more: object = { summary: [] }): object => ({ type: 'reasoning', id, encrypted_content: 'x', ...more })
const request = (...input: object[]): object => ({ model: 'm', stream: true, store: false, tools, input })

/** A request that is taken. */
export const OPENAI_RESPONSES_BODY = request(
  { role: 'system', content: 'Be brief.' },
  go,
  reasoning('rs_1'),
  call('a', { id: 'fc_1' }),
  call('b'),
  output('a'),
  output('b'),
  { role: 'assistant', content: [{ type: 'output_text', text: 'done' }], id: 'msg_1' },
  go
)

/** What the Responses API refuses. */
export const OPENAI_RESPONSES_RULES: readonly StrictRuleOf<'openai-responses'>[] = [
  {
    wire: 'openai-responses',
    rule: 'every call has its output',
    documentation: FUNCTIONS,
    seen: 'https://github.com/bytedance/trae-agent/issues/245',
    body: request(go, call('a'), call('b'), output('a')),
    breaks: (body) => idsOf(body, 'function_call').some((id) => !idsOf(body, 'function_call_output').includes(id))
  },
  {
    wire: 'openai-responses',
    rule: 'an output answers a call before it',
    documentation: FUNCTIONS,
    seen: 'https://community.openai.com/t/issue-with-new-responses-api-400-no-tool-call-found-for-function-call-output-with-call-id/1142327',
    body: request(go, output('a'), call('a')),
    breaks: (body) => {
      const items = listAt(body, 'input')
      return items.some((item, index) => isOutput(item) && !idsOf({ input: items.slice(0, index) }, 'function_call').includes(idOf(item)))
    }
  },
  {
    wire: 'openai-responses',
    rule: 'the id of a call has at most 64 characters',
    documentation: CREATE,
    seen: 'https://github.com/openai/codex/issues/14355',
    body: request(go, call('a'.repeat(65)), output('a'.repeat(65))),
    breaks: (body) => listAt(body, 'input').some((item) => idOf(item).length > 64)
  },
  {
    wire: 'openai-responses',
    rule: 'the ids of calls are unique',
    documentation: CREATE,
    seen: 'https://github.com/earendil-works/pi/issues/9057',
    body: request(go, call('a'), call('a'), output('a')),
    breaks: (body) => hasTwice(idsOf(body, 'function_call'))
  },
  {
    wire: 'openai-responses',
    rule: 'an item is there once',
    documentation: CREATE,
    seen: 'https://github.com/openai/openai-agents-python/issues/1789',
    body: request(go, call('a', { id: 'fc_1' }), call('b', { id: 'fc_1' }), output('a'), output('b')),
    breaks: (body) => hasTwice(listAt(body, 'input').flatMap((item) => (textAt(item, 'id') === '' ? [] : [textAt(item, 'id')])))
  },
  {
    wire: 'openai-responses',
    rule: 'reasoning is followed by what it led to',
    documentation: REASONING,
    seen: 'https://github.com/vercel/ai/issues/7099',
    body: request(go, reasoning('rs_1'), go),
    breaks: (body) => {
      const items = listAt(body, 'input')
      return items.some((item, index) => isReasoning(item) && !isAnswer(items[index + 1]))
    }
  },
  {
    wire: 'openai-responses',
    rule: 'reasoning has its summary, even an empty one',
    documentation: CREATE,
    seen: 'https://github.com/newo-ether/Agora/issues/141',
    body: request(go, reasoning('rs_1', {}), call('a'), output('a')),
    breaks: (body) => listAt(body, 'input').some((item) => isReasoning(item) && !Array.isArray(at(item, 'summary')))
  },
  {
    wire: 'openai-responses',
    rule: 'the id of the item of a call begins with fc',
    documentation: CREATE,
    seen: 'https://github.com/nodetool-ai/nodetool/pull/4252',
    body: request(go, call('a', { id: 'call_a' }), output('a')),
    breaks: (body) => listAt(body, 'input').some((item) => isCall(item) && !/^(fc|$)/.test(textAt(item, 'id')))
  }
]

const idOf = (item: unknown): string => textAt(item, 'call_id')
const isCall = (item: unknown): boolean => at(item, 'type') === 'function_call'
const isOutput = (item: unknown): boolean => at(item, 'type') === 'function_call_output'
const isReasoning = (item: unknown): boolean => at(item, 'type') === 'reasoning'
const isAnswer = (item: unknown): boolean => isReasoning(item) || isCall(item) || at(item, 'role') === 'assistant'

function idsOf(body: unknown, type: string): readonly string[] {
  return listAt(body, 'input')
    .filter((item) => at(item, 'type') === type)
    .map(idOf)
}
