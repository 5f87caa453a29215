import { at, hasTwice, isObject, isWellFormed, listAt, textAt } from './body-reader.ts'
import type { StrictRuleOf } from './strict-rule.ts'

const CREATE = 'https://platform.claude.com/docs/en/api/messages/create'
const DEFINE = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools'
const CALLS = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls'
/** It says that prefilled answers are refused. */
const MIGRATION = 'https://platform.claude.com/docs/en/about-claude/models/migration-guide'

const tools = [{ name: 'pay', description: 'Pays.', input_schema: { type: 'object' } }]
const said = (text: string): object => ({ type: 'text', text })
const use = (id: string, input: unknown = { amount: 1 }): object => ({ type: 'tool_use', id, name: 'pay', input })
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'paid' })
const user = (...content: object[]): object => ({ role: 'user', content })
const assistant = (...content: object[]): object => ({ role: 'assistant', content })
const request = (messages: readonly object[], more: object = {}): object => ({ model: 'm', max_tokens: 64, tools, messages, ...more })
const go = user(said('go'))

/** A request that is taken. */
export const ANTHROPIC_BODY = request([
  go,
  assistant(said('both'), use('a'), use('b')),
  user(result('a'), result('b'), said('and now?')),
  assistant(use('c')),
  user(result('c'))
])

/** What the Messages API refuses. */
export const ANTHROPIC_RULES: readonly StrictRuleOf<'anthropic'>[] = [
  {
    wire: 'anthropic',
    rule: 'every call is answered in the next message',
    documentation: CALLS,
    body: request([go, assistant(use('a'), use('b')), user(result('a'))]),
    breaks: (body) => pairs(body).some(({ calls, results }) => calls.some((id) => !results.includes(id)))
  },
  {
    wire: 'anthropic',
    rule: 'a result answers a call of the message before it',
    documentation: CALLS,
    seen: 'https://github.com/anthropics/claude-code/issues/18947',
    body: request([go, assistant(use('a')), user(result('a'), result('z'))]),
    breaks: (body) => pairs(body).some(({ calls, results }) => results.some((id) => !calls.includes(id)))
  },
  {
    wire: 'anthropic',
    rule: 'a call has a single result',
    documentation: CALLS,
    seen: 'https://github.com/anthropics/claude-code/issues/14110',
    body: request([go, assistant(use('a')), user(result('a'), result('a'))]),
    breaks: (body) => pairs(body).some(({ results }) => hasTwice(results))
  },
  {
    wire: 'anthropic',
    rule: 'results come first in their message',
    documentation: CALLS,
    body: request([go, assistant(use('a')), user(said('here'), result('a'))]),
    breaks: (body) =>
      listAt(body, 'messages').some((message) => !isResultsFirst(listAt(message, 'content').map((block) => at(block, 'type'))))
  },
  {
    wire: 'anthropic',
    rule: 'a text is not empty',
    documentation: CREATE,
    seen: 'https://github.com/anthropics/anthropic-sdk-python/issues/461',
    body: request([user(said(''))]),
    breaks: (body) => texts(body).includes('')
  },
  {
    wire: 'anthropic',
    rule: 'a text is not only blanks',
    documentation: CREATE,
    seen: 'https://github.com/anthropics/claude-code/issues/23369',
    body: request([user(said(' \n'))]),
    breaks: (body) => texts(body).some((text) => text !== '' && text.trim() === '')
  },
  {
    wire: 'anthropic',
    rule: 'the id of a call has an alphabet',
    documentation: CREATE,
    seen: 'https://github.com/maximhq/bifrost/issues/5097',
    body: request([go, assistant(use('functions.pay:0')), user(result('functions.pay:0'))]),
    breaks: (body) => ids(body).some((id) => !/^[a-zA-Z0-9_-]+$/.test(id))
  },
  {
    wire: 'anthropic',
    rule: 'the ids of calls are unique',
    documentation: CALLS,
    seen: 'https://github.com/anomalyco/opencode/issues/1150',
    body: request([go, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))]),
    breaks: (body) => hasTwice(ids(body))
  },
  {
    wire: 'anthropic',
    rule: 'tools are there when the history has calls',
    documentation: CREATE,
    seen: 'https://github.com/anthropics/anthropic-sdk-python/issues/494',
    body: request([go, assistant(use('a')), user(result('a'))], { tools: undefined }),
    breaks: (body) => ids(body).length > 0 && listAt(body, 'tools').length === 0
  },
  {
    wire: 'anthropic',
    rule: 'the input of a call is an object',
    documentation: CREATE,
    seen: 'https://github.com/anthropics/anthropic-sdk-typescript/issues/648',
    body: request([go, assistant(use('a', '{"amount":1}')), user(result('a'))]),
    breaks: (body) => blocks(body, 'tool_use').some((block) => !isObject(at(block, 'input')))
  },
  {
    wire: 'anthropic',
    rule: 'the first message is of the user',
    documentation: CREATE,
    seen: 'https://github.com/livekit/agents/pull/669',
    body: request([assistant(said('hello')), go]),
    breaks: (body) => at(body, 'messages', 0, 'role') !== 'user'
  },
  {
    wire: 'anthropic',
    rule: 'the last message is of the user',
    documentation: MIGRATION,
    seen: 'https://github.com/HKUDS/nanobot/pull/3297',
    body: request([go, assistant(said('hello'))]),
    breaks: (body) => at(listAt(body, 'messages').at(-1), 'role') === 'assistant'
  },
  {
    wire: 'anthropic',
    rule: 'the body is Unicode',
    documentation: CREATE,
    seen: 'https://github.com/anthropics/claude-code/issues/3277',
    body: request([user(said('cut \ud83d'))]),
    breaks: (body) => !isWellFormed(body)
  },
  {
    wire: 'anthropic',
    rule: 'the name of a tool has an alphabet and a length',
    documentation: DEFINE,
    seen: 'https://github.com/langchain-ai/deepagents/pull/5953',
    body: request([go], { tools: [{ name: 'p'.repeat(65), input_schema: { type: 'object' } }] }),
    breaks: (body) => listAt(body, 'tools').some((tool) => !/^[a-zA-Z0-9_-]{1,64}$/.test(textAt(tool, 'name')))
  }
]

/** The calls of each message, and the results of the next one. */
function pairs(body: unknown): readonly { readonly calls: readonly string[]; readonly results: readonly string[] }[] {
  const messages = listAt(body, 'messages')
  const calls = messages.map((message) => of(message, 'tool_use').map((block) => textAt(block, 'id')))
  const results = messages.map((message) => of(message, 'tool_result').map((block) => textAt(block, 'tool_use_id')))
  return [...messages, null].map((_, index) => ({ calls: calls[index - 1] ?? [], results: results[index] ?? [] }))
}

function of(message: unknown, type: string): readonly unknown[] {
  return listAt(message, 'content').filter((block) => at(block, 'type') === type)
}

function blocks(body: unknown, type: string): readonly unknown[] {
  return listAt(body, 'messages').flatMap((message) => of(message, type))
}

function ids(body: unknown): readonly string[] {
  return blocks(body, 'tool_use').map((block) => textAt(block, 'id'))
}

function texts(body: unknown): readonly string[] {
  const results = blocks(body, 'tool_result').flatMap((block) => listAt(block, 'content'))
  return [...blocks(body, 'text'), ...results.filter((block) => at(block, 'type') === 'text')].map((block) => textAt(block, 'text'))
}

function isResultsFirst(types: readonly unknown[]): boolean {
  const last = types.lastIndexOf('tool_result')
  return types.slice(0, last + 1).every((type) => type === 'tool_result')
}
