import { at, hasTwice, listAt, textAt } from './body-reader.ts'
import type { StrictRuleOf } from './strict-rule.ts'

const CREATE = 'https://platform.openai.com/docs/api-reference/chat/create'
const FUNCTIONS = 'https://platform.openai.com/docs/guides/function-calling'

const tools = [{ type: 'function', function: { name: 'pay', parameters: { type: 'object' } } }]
const call = (id: string, name = 'pay', input: unknown = '{"amount":1}'): object => ({
  id,
  type: 'function',
  function: { name, arguments: input }
})
const assistant = (...calls: object[]): object => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string, content: unknown = 'paid'): object => ({ role: 'tool', tool_call_id: id, content })
const go = { role: 'user', content: 'go' }
const request = (messages: readonly object[], more: object = {}): object => ({ model: 'm', stream: true, tools, messages, ...more })
const toTool = (name: string): object => ({ type: 'function', function: { name, parameters: { type: 'object' } } })

/** A request that is taken. */
export const OPENAI_CHAT_BODY = request([
  { role: 'system', content: 'Be brief.' },
  go,
  assistant(call('a'), call('b')),
  result('b'),
  result('a'),
  { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
  { role: 'assistant', content: 'done' },
  go
])

/** What Chat Completions refuse. */
export const OPENAI_CHAT_RULES: readonly StrictRuleOf<'openai-chat'>[] = [
  {
    wire: 'openai-chat',
    rule: 'every call is answered by the messages behind it',
    documentation: FUNCTIONS,
    seen: 'https://github.com/evalstate/fast-agent/issues/314',
    body: request([go, assistant(call('a'), call('b')), result('a'), go]),
    breaks: (body) => turns(body).some(({ calls, results }) => calls.some((id) => !results.includes(id)))
  },
  {
    wire: 'openai-chat',
    rule: 'a result answers a call before it',
    documentation: CREATE,
    seen: 'https://github.com/openai/openai-go/issues/43',
    body: request([go, result('a')]),
    breaks: (body) => turns(body).some(({ calls, results }) => results.some((id) => !calls.includes(id)))
  },
  {
    wire: 'openai-chat',
    rule: 'a call has a single result',
    documentation: FUNCTIONS,
    seen: 'https://github.com/agno-agi/agno/issues/5116',
    body: request([go, assistant(call('a')), result('a'), result('a')]),
    breaks: (body) => turns(body).some(({ results }) => hasTwice(results))
  },
  {
    wire: 'openai-chat',
    rule: 'the id of a call has at most 40 characters',
    documentation: CREATE,
    seen: 'https://github.com/agno-agi/agno/issues/5382',
    body: request([go, assistant(call('a'.repeat(41))), result('a'.repeat(41))]),
    breaks: (body) => calls(body).some((each) => textAt(each, 'id').length > 40)
  },
  {
    wire: 'openai-chat',
    rule: 'a list of calls is not empty',
    documentation: CREATE,
    seen: 'https://github.com/openai/openai-node/pull/1341',
    body: request([go, { role: 'assistant', content: 'no', tool_calls: [] }, go]),
    breaks: (body) => listAt(body, 'messages').some((message) => isEmpty(at(message, 'tool_calls')))
  },
  {
    wire: 'openai-chat',
    rule: 'a list of tools is not empty',
    documentation: CREATE,
    seen: 'https://github.com/cssxsh/mirai-openai-plugin/issues/43',
    body: request([go], { tools: [] }),
    breaks: (body) => isEmpty(at(body, 'tools'))
  },
  {
    wire: 'openai-chat',
    rule: 'there are at most 128 tools',
    documentation: CREATE,
    seen: 'https://github.com/0x4m4/hexstrike-ai/issues/29',
    body: request([go], { tools: Array.from({ length: 129 }, (_, index) => toTool(`t${index}`)) }),
    breaks: (body) => listAt(body, 'tools').length > 128
  },
  {
    wire: 'openai-chat',
    rule: 'the name of a tool has an alphabet',
    documentation: CREATE,
    seen: 'https://github.com/vercel/ai/issues/1972',
    body: request([go], { tools: [toTool('os.pay')] }),
    breaks: (body) => listAt(body, 'tools').some((tool) => !/^[a-zA-Z0-9_-]+$/.test(textAt(tool, 'function', 'name')))
  },
  {
    wire: 'openai-chat',
    rule: 'the name of a tool has at most 64 characters',
    documentation: CREATE,
    seen: 'https://github.com/microsoft/semantic-kernel/issues/5320',
    body: request([go], { tools: [toTool('p'.repeat(65))] }),
    breaks: (body) => listAt(body, 'tools').some((tool) => textAt(tool, 'function', 'name').length > 64)
  },
  {
    wire: 'openai-chat',
    rule: 'a call names its tool',
    documentation: CREATE,
    seen: 'https://github.com/continuedev/continue/issues/11645',
    body: request([go, assistant(call('a', '')), result('a')]),
    breaks: (body) => calls(body).some((each) => textAt(each, 'function', 'name') === '')
  },
  {
    wire: 'openai-chat',
    rule: 'the arguments of a call are a text',
    documentation: CREATE,
    seen: 'https://github.com/aaif-goose/goose-mobile/pull/20',
    body: request([go, assistant(call('a', 'pay', { amount: 1 })), result('a')]),
    breaks: (body) => calls(body).some((each) => typeof at(each, 'function', 'arguments') !== 'string')
  },
  {
    wire: 'openai-chat',
    rule: 'a message of a user or a tool has content',
    documentation: CREATE,
    seen: 'https://github.com/run-llama/llama_index/issues/17555',
    body: request([go, assistant(call('a')), result('a', null)]),
    breaks: (body) =>
      listAt(body, 'messages').some((message) => at(message, 'role') !== 'assistant' && (at(message, 'content') ?? null) === null)
  }
]

interface Turn {
  readonly calls: string[]
  readonly results: string[]
}

/** The calls of each message of the assistant, and the results directly behind it. */
function turns(body: unknown): readonly Turn[] {
  const found: Turn[] = [{ calls: [], results: [] }]
  for (const message of listAt(body, 'messages')) {
    if (at(message, 'role') === 'tool') found.at(-1)?.results.push(textAt(message, 'tool_call_id'))
    else found.push({ calls: listAt(message, 'tool_calls').map((each) => textAt(each, 'id')), results: [] })
  }
  return found
}

function calls(body: unknown): readonly unknown[] {
  return listAt(body, 'messages').flatMap((message) => listAt(message, 'tool_calls'))
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
