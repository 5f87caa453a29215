import { z } from 'zod'
import type { GrantsInput } from '../contracts/grants.ts'
import type { Json } from '../contracts/json.ts'
import type { PermissionRule } from '../contracts/permission-rule.ts'
import { ModelShape, modelFields } from './model-shape.ts'
import type { FieldTable } from './shape-check.ts'

// The message of each check says what was expected: the reader of the issues puts the sentence around it.
// This file is loaded when it is first used: zod is heavy.

const TEXT = 'a text'
const COUNT = 'a whole number above 0'
const COUNT_OR_NONE = 'a whole number from 0 on'
const OBJECT = 'an object'

const text = z.string(TEXT)
const name = z.string(TEXT).min(1, 'a text that is not empty')
const count = z.int(COUNT).positive(COUNT)
const countOrNone = z.int(COUNT_OR_NONE).nonnegative(COUNT_OR_NONE)
/** Anything: what is checked was read as JSON. */
const json = z.custom<Json>()
const data = z.record(z.string(), json, OBJECT)

const variable = z.strictObject(
  {
    key: z.string(TEXT).trim(),
    type: z.enum(['string', 'number', 'boolean', 'object', 'array', 'json'], 'string, number, boolean, object, array or json'),
    value: json.exactOptional(),
    requiresOverride: z.boolean('true or false').exactOptional(),
    description: text.exactOptional(),
    metadata: data.exactOptional()
  },
  OBJECT
)

const tool = z.union(
  [
    name,
    z.strictObject({
      ref: name,
      approval: z.boolean('true or false').exactOptional(),
      effect: z.enum(['read', 'idempotent', 'once'], 'read, idempotent or once').exactOptional(),
      timeoutMs: count.exactOptional(),
      onUnknown: z.enum(['tell', 'ask'], 'tell or ask').exactOptional()
    })
  ],
  'a name, a reference or { ref }'
)

const limits = z.strictObject(
  {
    maxTurns: count.exactOptional(),
    lastTurn: z.enum(['answer', 'tools'], 'answer or tools').exactOptional(),
    maxToolCallsPerIteration: count.exactOptional(),
    maxOutputBytes: count.exactOptional(),
    maxInputBytes: count.exactOptional(),
    providerTimeoutMs: count.exactOptional(),
    toolTimeoutMs: count.exactOptional(),
    runTimeoutMs: count.exactOptional(),
    maxRepeatedCalls: count.exactOptional(),
    maxRetries: countOrNone.exactOptional(),
    maxParallelCalls: count.exactOptional()
  },
  OBJECT
)

const AMOUNT = 'a number above 0'
const budget = z.strictObject(
  {
    maxTotalTokens: count.exactOptional(),
    maxCost: z.number(AMOUNT).positive(AMOUNT).exactOptional(),
    maxDurationMs: count.exactOptional(),
    maxToolCalls: count.exactOptional(),
    hard: z.boolean('true or false').exactOptional()
  },
  OBJECT
)

const AGENT_NAME = 'a name of up to 64 letters, digits, hyphens and underscores'
const entry = z.strictObject(
  { name: z.string(AGENT_NAME).regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, AGENT_NAME), ref: name, description: text.exactOptional() },
  '{ name, ref }'
)

const HOOK_NAME = 'the name of a hook, or { name, options }'
const hook = z.union([name, z.strictObject({ name, options: data.exactOptional() })], HOOK_NAME)
const plugin = z.union([name, z.strictObject({ name, options: data.exactOptional() })], 'the name of a plugin, or { name, options }')

const initialCall = z.strictObject({ tool: name, arguments: data.exactOptional() }, '{ tool, arguments }')
const initialPrompt = z.strictObject(
  {
    role: z.enum(['user', 'system'], 'user or system').exactOptional(),
    prompt: text.exactOptional(),
    toolCalls: z.array(initialCall, 'a list').exactOptional()
  },
  '{ role, prompt, toolCalls }'
)

/** What an agent is, in code and in a manifest. Grants and rules have readers of their own. */
const agent = {
  description: text.exactOptional(),
  model: ModelShape,
  systemPrompt: text.exactOptional(),
  prompt: text.exactOptional(),
  initialPrompts: z.array(initialPrompt, 'a list').exactOptional(),
  variables: z.array(variable, 'a list').exactOptional(),
  tools: z.array(tool, 'a list').exactOptional(),
  limits: limits.exactOptional(),
  budget: budget.exactOptional(),
  outputSchema: data.exactOptional(),
  permissions: z.custom<readonly PermissionRule[]>().exactOptional(),
  grants: z.custom<GrantsInput>().exactOptional(),
  agents: z.array(entry, 'a list').exactOptional(),
  children: z.enum(['await', 'cancel', 'detach'], 'await, cancel or detach').exactOptional(),
  hooks: z.array(hook, 'a list').exactOptional(),
  plugins: z.array(plugin, 'a list').exactOptional(),
  metadata: data.exactOptional()
}

/** An agent as it is written in code, its tools named. */
export const CodeAgentShape = z.strictObject({ name, ...agent }, OBJECT)

/** An agent as it is written in a manifest. */
export const AgentManifestShape = z.strictObject(
  {
    schemaVersion: z.literal('1.0', '"1.0"'),
    id: text.exactOptional(),
    name: text.exactOptional(),
    ...agent,
    capabilities: z.custom<GrantsInput>().exactOptional(),
    extensions: z.record(z.string(), data, 'an object of objects, each under its namespace').exactOptional()
  },
  OBJECT
)

/** What `CodeAgentShape` gives. */
export type CodeAgent = z.infer<typeof CodeAgentShape>

/** What `AgentManifestShape` gives. */
export type AgentManifestData = z.infer<typeof AgentManifestShape>

/** The fields of both, and those of later versions. */
export const AGENT_FIELDS: FieldTable = {
  '': {
    known: Object.keys(AgentManifestShape.shape),
    later: [...['steps', 'connections', 'contextStrategy', 'skills']]
  },
  ...modelFields('model'),
  'initialPrompts.*': { known: Object.keys(initialPrompt.shape), later: [] },
  'initialPrompts.*.toolCalls.*': { known: Object.keys(initialCall.shape), later: [] },
  'variables.*': { known: Object.keys(variable.shape), later: [] },
  'tools.*': { known: ['ref', 'approval', 'effect', 'timeoutMs', 'onUnknown'], later: [] },
  'hooks.*': { known: ['name', 'options'], later: [] },
  'plugins.*': { known: ['name', 'options'], later: [] },
  'agents.*': { known: Object.keys(entry.shape), later: [] },
  budget: { known: Object.keys(budget.shape), later: [] },
  limits: { known: Object.keys(limits.shape), later: ['maxSteps', 'maxMessagesPerPrompt', 'maxIterations', 'maxDepth', 'maxChildren'] }
}
