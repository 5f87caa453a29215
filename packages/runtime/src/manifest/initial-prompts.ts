import type { InitialCall, InitialPrompt, InjectedPrompt } from '../contracts/initial-prompt.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { Limits, ToolDescriptor } from '../contracts/publication.ts'
import { limitsOf } from '../state/limits.ts'
import type { AgentFault } from './agent-fault.ts'
import { findToolFaults } from './initial-prompt-checks.ts'
import { compileSchema } from './json-schema.ts'
import type { Path } from './problem.ts'
import { toToolName } from './tool-name.ts'
import type { TemplateValues } from './template.ts'
import { compileTemplate } from './template.ts'

/** Initial prompts as a publication holds them, or what is wrong with their calls. */
export type FrozenPrompts =
  | { readonly ok: true; readonly prompts: readonly InitialPrompt[] }
  | { readonly ok: false; readonly faults: readonly AgentFault[] }

/** Names the tools of calls as the model does, and checks the arguments in which no template stands. */
export async function freezeInitialPrompts(
  prompts: readonly InitialPrompt[],
  tools: readonly ToolDescriptor[],
  limits: Limits
): Promise<FrozenPrompts> {
  const most = limitsOf({ limits }).maxToolCallsPerIteration
  const faults: AgentFault[] = []
  const frozen: InitialPrompt[] = []
  for (const [index, { role, prompt, toolCalls = [] }] of prompts.entries()) {
    const path = ['initialPrompts', index, 'toolCalls']
    if (toolCalls.length > most) faults.push({ code: 'too_large', path, message: 'these are too many calls', expected: `at most ${most}` })
    const calls = await Promise.all(toolCalls.map((call, at) => freezeCall(call, tools, [...path, at])))
    faults.push(...calls.flatMap((call) => call.faults))
    frozen.push({
      ...(role === 'system' ? { role } : {}),
      ...(prompt === undefined ? {} : { prompt }),
      ...(calls.length === 0 ? {} : { toolCalls: calls.map(({ call }) => call) })
    })
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, prompts: frozen }
}

/** Tools that are not listed in the definition itself are known only now. */
async function freezeCall(
  { tool, arguments: args = {} }: InitialCall,
  tools: readonly ToolDescriptor[],
  path: Path
): Promise<{ readonly call: InitialCall; readonly faults: readonly AgentFault[] }> {
  const descriptor = tools.find(({ name }) => toToolName(name) === toToolName(tool))
  const names = tools.map(({ name }) => name)
  const faults = [...findToolFaults([...path, 'tool'], { tool }, names)]
  if (descriptor && !holdsTemplate(args)) faults.push(...(await findArgumentFaults(descriptor, args, [...path, 'arguments'])))
  return { call: { tool: descriptor?.name ?? tool, arguments: args }, faults }
}

/** What a thread begins with: every template rendered, and those arguments checked that had one. */
export async function renderInitialPrompts(
  prompts: readonly InitialPrompt[],
  tools: readonly ToolDescriptor[],
  values: TemplateValues
): Promise<{ readonly prompts: readonly InjectedPrompt[]; readonly faults: readonly AgentFault[] }> {
  const faults: AgentFault[] = []
  const rendered: InjectedPrompt[] = []
  for (const [index, { role, prompt, toolCalls = [] }] of prompts.entries()) {
    const calls: { readonly tool: string; readonly input: string }[] = []
    for (const [at, { tool, arguments: args = {} }] of toolCalls.entries()) {
      const given = (await renderTexts(args, values)) as JsonObject
      calls.push({ tool, input: JSON.stringify(given) })
      const descriptor = holdsTemplate(args) ? tools.find(({ name }) => name === tool) : undefined
      if (descriptor) faults.push(...(await findArgumentFaults(descriptor, given, ['initialPrompts', index, 'toolCalls', at, 'arguments'])))
    }
    rendered.push({
      ...(role === 'system' ? { role } : {}),
      ...(prompt === undefined ? {} : { text: (await compileTemplate(prompt)).render(values) }),
      ...(calls.length === 0 ? {} : { calls })
    })
  }
  return { prompts: rendered, faults }
}

async function findArgumentFaults({ name, inputSchema }: ToolDescriptor, args: JsonObject, path: Path): Promise<readonly AgentFault[]> {
  const checked = (await compileSchema(inputSchema))(args)
  if (checked.ok) return []
  const told = checked.errors.replaceAll('\n', '; ')
  return [{ code: 'invalid', path, message: `these arguments do not fit the schema of ${name}: ${told}` }]
}

function holdsTemplate(value: Json): boolean {
  if (typeof value === 'string') return value.includes('{{')
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsTemplate)
}

async function renderTexts(value: Json, values: TemplateValues): Promise<Json> {
  if (typeof value === 'string') return value.includes('{{') ? (await compileTemplate(value)).render(values) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map((item: Json) => renderTexts(item, values)))
  const entries = Object.entries(value).map(async ([key, item]) => [key, await renderTexts(item, values)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
