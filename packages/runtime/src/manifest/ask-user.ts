import type { ToolDescriptor } from '../contracts/publication.ts'
import { digestJson } from '../util/canonical.ts'
import { ASK_USER_NAME } from './tool-registry.ts'

const DESCRIPTOR = {
  identity: `agent:${ASK_USER_NAME}`,
  name: ASK_USER_NAME,
  description:
    'Asks the person you work for a question and waits for the answer. With options, the answer is one of them; with a schema, it fits that.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 10_000 },
      options: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 1_000 }, minItems: 1, maxItems: 50, uniqueItems: true },
      schema: { type: 'object', description: 'A JSON Schema of the answer.' }
    },
    required: ['question'],
    additionalProperties: false
  },
  effect: 'read',
  parallelSafe: true
} as const

/** The built-in tool with which a run asks a person. Its call is never run: it waits, and the answer is its result. */
export function toAskUser(timeoutMs: number): ToolDescriptor {
  return { ...DESCRIPTOR, timeoutMs, version: digestJson(DESCRIPTOR) }
}
