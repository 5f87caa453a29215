import { at, isObject, listAt, textAt } from './body-reader.ts'
import { signatureOf } from './google-signature.ts'
import type { StrictRuleOf } from './strict-rule.ts'

const GENERATE = 'https://ai.google.dev/api/generate-content'
const CONTENT = 'https://ai.google.dev/api/caching#Content'
const PART = 'https://ai.google.dev/api/caching#Part'
const DECLARATION = 'https://ai.google.dev/api/caching#FunctionDeclaration'
const FUNCTIONS = 'https://ai.google.dev/gemini-api/docs/function-calling'
const SIGNATURES = 'https://ai.google.dev/gemini-api/docs/thought-signatures'
/** What may stand in place of a signature that is lost, as the page above says. */
export const NO_SIGNATURE = 'skip_thought_signature_validator'

const tools = [{ functionDeclarations: [{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } }] }]
const said = (text: string): object => ({ text })
const user = (...parts: object[]): object => ({ role: 'user', parts })
const model = (...parts: object[]): object => ({ role: 'model', parts })
const call = (amount: number, more: object = {}): object => ({ functionCall: { name: 'pay', args: { amount } }, ...more })
const signed = (amount: number): object => call(amount, { thoughtSignature: signatureOf('pay', { amount }) })
const response = { functionResponse: { name: 'pay', response: { content: 'paid' } } }
const request = (contents: readonly object[], more: object = {}): object => ({ contents, tools, ...more })
const go = user(said('go'))

/** A request that is taken. */
export const GOOGLE_BODY = request([
  go,
  model(call(1), call(2)),
  user(response, response),
  model(said('done')),
  go,
  model(said('again'), signed(3), call(4)),
  user(response, response),
  model(signed(5)),
  user(response)
])

/** What generateContent refuses, of a model of the third generation. */
export const GOOGLE_RULES: readonly StrictRuleOf<'google'>[] = [
  {
    wire: 'google',
    rule: 'there are as many responses as calls',
    documentation: FUNCTIONS,
    seen: 'https://github.com/google-gemini/gemini-cli/issues/4217',
    body: request([go, model(signed(1), call(2)), user(response)]),
    breaks: (body) => pairs(body).some(({ calls, responses, isLast }) => calls > 0 && !isLast && calls !== responses)
  },
  {
    wire: 'google',
    rule: 'responses come directly behind their calls',
    documentation: FUNCTIONS,
    seen: 'https://github.com/langchain-ai/langchain/issues/27799',
    body: request([go, user(response)]),
    breaks: (body) => pairs(body).some(({ calls, responses }) => responses > 0 && calls === 0)
  },
  {
    wire: 'google',
    rule: 'calls come directly behind a user or responses',
    documentation: FUNCTIONS,
    seen: 'https://github.com/google-gemini/gemini-cli/issues/11814',
    body: request([model(signed(1)), user(response)]),
    breaks: (body) =>
      contents(body).some((content, index) => count(content, 'functionCall') > 0 && at(contents(body)[index - 1], 'role') !== 'user')
  },
  {
    wire: 'google',
    rule: 'a content has parts',
    documentation: CONTENT,
    seen: 'https://github.com/vercel/ai/issues/3775',
    body: request([go, model(), go]),
    breaks: (body) => contents(body).some((content) => listAt(content, 'parts').length === 0)
  },
  {
    wire: 'google',
    rule: 'there are contents',
    documentation: GENERATE,
    seen: 'https://github.com/NousResearch/hermes-agent/pull/57942',
    body: request([]),
    breaks: (body) => contents(body).length === 0
  },
  {
    wire: 'google',
    rule: 'a part holds something',
    documentation: PART,
    seen: 'https://github.com/54xzh/FLIT/pull/70',
    body: request([user(said('go'), {})]),
    breaks: (body) =>
      contents(body).some((content) => listAt(content, 'parts').some((part) => !DATA.some((name) => at(part, name) !== undefined)))
  },
  {
    wire: 'google',
    rule: 'a role is user or model',
    documentation: CONTENT,
    seen: 'https://github.com/the-open-agent/openagent/issues/1666',
    body: request([go, { role: 'assistant', parts: [said('hello')] }, go]),
    breaks: (body) => contents(body).some((content) => !['user', 'model'].includes(textAt(content, 'role')))
  },
  {
    wire: 'google',
    rule: 'the last content is of the user',
    documentation: CONTENT,
    seen: 'https://github.com/crewAIInc/crewAI/pull/6973',
    body: request([go, model(said('hello'))]),
    breaks: (body) => at(contents(body).at(-1), 'role') === 'model'
  },
  {
    wire: 'google',
    rule: 'the first call of each step of the turn has its signature',
    documentation: SIGNATURES,
    body: request([go, model(signed(1)), user(response), model(call(2)), user(response)]),
    breaks: (body) => firstCalls(body).some((part) => textAt(part, 'thoughtSignature') === '')
  },
  {
    wire: 'google',
    rule: 'a signature comes back as it was given, with its call',
    documentation: SIGNATURES,
    body: request([go, model(call(2, { thoughtSignature: signatureOf('pay', { amount: 1 }) })), user(response)]),
    breaks: (body) => firstCalls(body).some((part) => !['', NO_SIGNATURE, signatureAt(part)].includes(textAt(part, 'thoughtSignature')))
  },
  {
    wire: 'google',
    rule: 'the name of a function has an alphabet and a length',
    documentation: DECLARATION,
    seen: 'https://github.com/google-gemini/gemini-cli/issues/12425',
    body: request([go], { tools: [{ functionDeclarations: [{ name: '1pay', parameters: { type: 'object' } }] }] }),
    breaks: (body) => declared(body).some((name) => !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name))
  }
]

const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse']

function contents(body: unknown): readonly unknown[] {
  return listAt(body, 'contents')
}

function count(content: unknown, name: string): number {
  return listAt(content, 'parts').filter((part) => isObject(at(part, name))).length
}

/** How many calls a content has, and how many responses the next one. */
function pairs(body: unknown): readonly { readonly calls: number; readonly responses: number; readonly isLast: boolean }[] {
  const all = contents(body)
  return [null, ...all].map((content, index) => ({
    calls: count(content, 'functionCall'),
    responses: count(all[index], 'functionResponse'),
    isLast: index === all.length
  }))
}

/** The first call of each content of the model behind the last text of the user. */
function firstCalls(body: unknown): readonly unknown[] {
  const all = contents(body)
  const start = all.findLastIndex(
    (content) => at(content, 'role') === 'user' && listAt(content, 'parts').some((part) => textAt(part, 'text') !== '')
  )
  return all.slice(start + 1).flatMap((content) =>
    listAt(content, 'parts')
      .filter((part) => isObject(at(part, 'functionCall')))
      .slice(0, 1)
  )
}

function signatureAt(part: unknown): string {
  return signatureOf(textAt(part, 'functionCall', 'name'), at(part, 'functionCall', 'args'))
}

function declared(body: unknown): readonly string[] {
  return listAt(body, 'tools').flatMap((tool) => listAt(tool, 'functionDeclarations').map((each) => textAt(each, 'name')))
}
