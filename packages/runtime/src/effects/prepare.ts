import type { Definition, Publication, ToolDescriptor } from '../contracts/publication.ts'
import type { PermissionRule } from '../contracts/permission-rule.ts'
import type { Approval } from '../contracts/approval.ts'
import { isApproval } from '../contracts/approval.ts'
import type { ApprovalContext, Tool, ToolNeeds } from '../contracts/tool.ts'
import type { RuleJudge, RuleLayer } from '../grants/rule-layers.ts'
import { compileRules } from '../grants/rule-layers.ts'
import type { Validator } from '../manifest/json-schema.ts'
import { compileSchema } from '../manifest/json-schema.ts'
import type { ArgumentsValidator } from '../manifest/tool-arguments.ts'
import { createArgumentsValidator } from '../manifest/tool-arguments.ts'
import type { PluginSource } from '../manifest/resolve-plugins.ts'
import { versionOf } from '../manifest/tool-registry.ts'
import { isPromise } from '../util/promise.ts'
import type { HookLayers, HookSource } from './prepared-hooks.ts'
import { prepareHooks } from './prepared-hooks.ts'
import { strictestApproval } from './strictest-approval.ts'
import type { PreparedPlugins } from './prepared-plugins.ts'
import { preparePlugins } from './prepared-plugins.ts'

/** A tool's own word about a call. Never throws: one that cannot judge rejects. */
export type ApprovalJudge = (input: unknown, context: ApprovalContext) => Approval | Promise<Approval>

/** A publication with its schemas and rules compiled: made once per process. */
export interface PreparedPublication {
  readonly definition: Definition
  /** By the name that the model uses, as they would run here: in the version of the code that is here. */
  readonly tools: ReadonlyMap<string, ToolDescriptor>
  /** By the same name. */
  readonly inputs: ReadonlyMap<string, ArgumentsValidator>
  /** Those of tools whose code is here and judges each call. */
  readonly approvals: ReadonlyMap<string, ApprovalJudge>
  /** Those of tools whose code is here and that need something of the machine. */
  readonly needs: ReadonlyMap<string, ToolNeeds>
  /** Null when there are no rules. */
  readonly rules: RuleJudge | null
  readonly output: Validator | null
  /** Null when nobody looks at calls before they are judged. */
  readonly beforeToolCall: HookLayers | null
  /** Null when nobody looks at messages. */
  readonly onMessage: HookLayers | null
  /** Null when nobody looks at requests. */
  readonly beforeInference: HookLayers | null
  /** Null when nobody looks at answers. */
  readonly afterInference: HookLayers | null
  /** Null when nobody looks at what calls gave. */
  readonly afterToolCall: HookLayers | null
  /** Null when the definition names none. */
  readonly plugins: PreparedPlugins | null
}

/** What a publication is prepared with. */
export interface PrepareOptions {
  codeOf(identity: string): Tool | undefined
  /** The host's rules of today. */
  readonly permissions: readonly PermissionRule[]
  readonly hooks: HookSource
  readonly plugins: PluginSource
}

/** Compiles what a publication's calls and answers are checked with: a tool's own schema where its code is here, else the frozen one. */
export async function preparePublication(publication: Publication, options: PrepareOptions): Promise<PreparedPublication> {
  const { definition } = publication
  const plugins = await preparePlugins(definition, options.plugins)
  const hooks = plugins === null ? options.hooks : { ...options.hooks, plugins: plugins.hooks }
  const tools = new Map<string, ToolDescriptor>()
  const inputs = new Map<string, ArgumentsValidator>()
  const approvals = new Map<string, ApprovalJudge>()
  const needs = new Map<string, ToolNeeds>()
  for (const tool of definition.tools) {
    const code = (plugins?.tools.get(tool.identity) ?? options.codeOf(tool.identity)) as Tool<never> | undefined
    tools.set(tool.name, code === undefined ? tool : { ...tool, version: versionOf(code), approval: approvalOf(tool, code) })
    const input = code?.input ?? { kind: 'json' as const, jsonSchema: tool.inputSchema }
    inputs.set(tool.name, await createArgumentsValidator({ input }))
    if (code?.needs !== undefined) needs.set(tool.name, code.needs)
    if (typeof code?.approval === 'function') approvals.set(tool.name, toJudge(code.approval as ApprovalJudge))
  }
  return {
    definition,
    tools,
    inputs,
    approvals,
    needs,
    rules: await toRules(publication, [{ id: 'host', rules: options.permissions }, ...(plugins?.rules ?? [])]),
    output: definition.outputSchema ? await compileSchema(definition.outputSchema) : null,
    beforeToolCall: prepareHooks(definition, hooks, 'beforeToolCall'),
    onMessage: prepareHooks(definition, hooks, 'onMessage'),
    beforeInference: prepareHooks(definition, hooks, 'beforeInference'),
    afterInference: prepareHooks(definition, hooks, 'afterInference'),
    afterToolCall: prepareHooks(definition, hooks, 'afterToolCall'),
    plugins
  }
}

/** What holds without asking its code: what was published, and what the code that is here says for every call. */
function approvalOf({ approval = false }: ToolDescriptor, code: Tool<never>): Approval {
  return strictestApproval([approval, typeof code.approval === 'function' ? false : (code.approval ?? false)])
}

async function toRules({ digest, definition }: Publication, others: readonly RuleLayer[]): Promise<RuleJudge | null> {
  const layers: readonly RuleLayer[] = [...others, { id: digest, rules: definition.permissions ?? [] }]
  return layers.every(({ rules }) => rules.length === 0) ? null : compileRules(layers)
}

/** What user code says is looked at before it counts: whatever is no approval blocks the call, as a fault (I9). */
function toJudge(judge: ApprovalJudge): ApprovalJudge {
  const check = (approval: unknown): Approval => {
    if (isApproval(approval)) return approval
    throw new Error('expected the approval of the tool to be true, false or { expiresInMs, quorum }')
  }
  return (input, context) => {
    try {
      const approval = judge(input, context)
      return isPromise(approval) ? approval.then(check) : check(approval)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
