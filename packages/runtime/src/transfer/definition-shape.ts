import { z } from 'zod'
import type { Approval } from '../contracts/approval.ts'
import { isApproval } from '../contracts/approval.ts'
import type { Grants } from '../contracts/grants.ts'
import type { HookEntry } from '../contracts/hook.ts'
import type { InitialCall, InitialPrompt } from '../contracts/initial-prompt.ts'
import type { PublishedPlugin } from '../contracts/plugin.ts'
import type { PermissionRule, RuleCondition } from '../contracts/permission-rule.ts'
import type { AgentEntry, Definition, Limits, ModelSettings, ToolDescriptor, VariableDeclaration } from '../contracts/publication.ts'
import { parseGrants } from '../grants/parse-grants.ts'
import { parsePermissionRules } from '../grants/parse-rules.ts'
import { toCanonicalJson } from '../util/canonical.ts'
import { budget, count, data, effect, json, shapeOf, text } from './value-shapes.ts'

const positive = z.int().positive()
const approval = z.custom<Approval>(isApproval, 'expected true, false or { expiresInMs, quorum }')
const settings = shapeOf<ModelSettings>()({
  temperature: z.number().exactOptional(),
  topP: z.number().exactOptional(),
  topK: z.number().exactOptional(),
  seed: z.int().exactOptional(),
  stopSequences: z.array(text).exactOptional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: text })]).exactOptional(),
  maxOutputTokens: positive.exactOptional()
})
const asked = { options: data.exactOptional(), settings: settings.exactOptional() }
const provided = { provider: text, model: text, ...asked }
const referred = { ref: text, ...asked }
const fallbacks = z.array(z.union([z.strictObject(provided), z.strictObject(referred)])).exactOptional()
/** What is not in normal form was not written by this program: sets of it would not be what they seem. */
const grants = z.custom<Grants>((value) => {
  const parsed = parseGrants(value)
  return parsed.ok && toCanonicalJson(parsed.value) === toCanonicalJson(value)
}, 'expected grants in normal form')
const condition = shapeOf<RuleCondition>()({
  path: text,
  eq: json.exactOptional(),
  glob: text.exactOptional(),
  lt: z.number().exactOptional(),
  gt: z.number().exactOptional()
})

const rules = z
  .array(shapeOf<PermissionRule>()({ effect: z.enum(['deny', 'ask', 'allow']), tool: text, when: condition.exactOptional() }))
  .refine((list) => parsePermissionRules(list).ok, 'expected permission rules')

/** A frozen definition. */
export const definition = shapeOf<Definition>()({
  name: text,
  description: text.exactOptional(),
  model: z.union([z.strictObject({ ...provided, fallbacks }), z.strictObject({ ...referred, fallbacks })]),
  systemPrompt: text.exactOptional(),
  prompt: text.exactOptional(),
  initialPrompts: z
    .array(
      shapeOf<InitialPrompt>()({
        role: z.enum(['system', 'user']).exactOptional(),
        prompt: text.exactOptional(),
        toolCalls: z.array(shapeOf<InitialCall>()({ tool: text, arguments: data.exactOptional() })).exactOptional()
      })
    )
    .exactOptional(),
  variables: z.array(
    shapeOf<VariableDeclaration>()({
      key: text,
      type: z.enum(['string', 'number', 'boolean', 'object', 'array', 'json']),
      value: json.exactOptional(),
      requiresOverride: z.boolean().exactOptional(),
      description: text.exactOptional()
    })
  ),
  tools: z.array(
    shapeOf<ToolDescriptor>()({
      identity: text,
      name: text,
      description: text,
      inputSchema: data,
      effect,
      parallelSafe: z.boolean(),
      timeoutMs: positive,
      approval: approval.exactOptional(),
      reconcile: z.literal(true).exactOptional(),
      onUnknown: z.literal('ask').exactOptional(),
      version: text
    })
  ),
  limits: shapeOf<Limits>()({
    maxTurns: positive.exactOptional(),
    lastTurn: z.enum(['answer', 'tools']).exactOptional(),
    maxToolCallsPerIteration: positive.exactOptional(),
    maxOutputBytes: positive.exactOptional(),
    maxInputBytes: positive.exactOptional(),
    providerTimeoutMs: positive.exactOptional(),
    toolTimeoutMs: positive.exactOptional(),
    runTimeoutMs: positive.exactOptional(),
    maxRepeatedCalls: positive.exactOptional(),
    maxRetries: count.exactOptional(),
    maxParallelCalls: positive.exactOptional()
  }),
  budget: budget.exactOptional(),
  outputSchema: data.exactOptional(),
  permissions: rules.exactOptional(),
  grants: grants.exactOptional(),
  agents: z.array(shapeOf<AgentEntry>()({ name: text, ref: text, description: text.exactOptional() })).exactOptional(),
  children: z.enum(['await', 'cancel', 'detach']).exactOptional(),
  hooks: z.array(shapeOf<HookEntry>()({ name: text, options: data.exactOptional() })).exactOptional(),
  plugins: z
    .array(
      shapeOf<PublishedPlugin>()({
        name: text,
        version: text,
        options: data.exactOptional(),
        hooks: z.array(z.strictObject({ name: text, on: z.array(text) })).exactOptional(),
        context: z.strictObject({ system: text.exactOptional(), request: text.exactOptional() }).exactOptional(),
        permissions: rules.exactOptional(),
        state: z.array(z.strictObject({ key: text, schema: data, initial: json })).exactOptional()
      })
    )
    .exactOptional()
})
