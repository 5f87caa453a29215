import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider'
import type { Definition, ModelCandidate, ModelSettings } from '../contracts/publication.ts'
import { compileTemplate } from '../manifest/template.ts'
import { inlineOf } from '../state/body.ts'
import type { PluginValues } from '../state/plugin-values.ts'
import type { State } from '../state/state.ts'
import { isPromise } from '../util/promise.ts'
import { appendContext, renderContext } from './plugin-context.ts'
import type { PreparedPublication } from './prepare.ts'

const toolsOf = new WeakMap<Definition, LanguageModelV4FunctionTool[]>()
const systemOf = new WeakMap<State['variables'], Map<string, string>>()

/** What a try asks, and of which model. */
export interface TurnQuestion {
  /** As the model is shown it. It is the request's own: nobody else changes it. */
  readonly history: LanguageModelV4CallOptions['prompt']
  /** What initial prompts add to the system prompt. */
  readonly system: readonly string[]
  /** What plugins keep. */
  readonly plugins: PluginValues | null
  readonly candidate: ModelCandidate
  /** What hooks add to it. */
  readonly context: readonly string[]
  /** Whether no tool may be called. */
  readonly last: boolean
}

/**
 * The request of a turn: system prompt, history, tools and the settings of its model. A function of facts and publication alone (I19). A promise
 * only where plugins add to it, or a template is rendered for the first time.
 */
export function buildRequest(
  state: State,
  question: TurnQuestion,
  { definition }: Pick<PreparedPublication, 'definition'>,
  signal: AbortSignal
): LanguageModelV4CallOptions | Promise<LanguageModelV4CallOptions> {
  const own = renderSystem(state, definition)
  if (definition.plugins === undefined && !isPromise(own)) return toRequest(question, definition, { own, signal })
  return buildLater(own, question, definition, signal)
}

async function buildLater(
  rendered: Own | Promise<Own>,
  question: TurnQuestion,
  definition: Definition,
  signal: AbortSignal
): Promise<LanguageModelV4CallOptions> {
  const own = await rendered
  const { plugins = [] } = definition
  const added = await renderContext(plugins, question.plugins, 'system')
  const behind = await renderContext(plugins, question.plugins, 'request')
  return toRequest(question, definition, { own, signal, plugins: { added, behind } })
}

/** The system prompt of the definition itself. */
type Own = string | null

/** What the request is made of beside its question; `plugins`: what they add to the system prompt, and behind the history. */
interface Given {
  readonly own: Own
  readonly signal: AbortSignal
  readonly plugins?: { readonly added: readonly string[]; readonly behind: readonly string[] }
}

function toRequest(
  { history, system: added, context, candidate, last }: TurnQuestion,
  definition: Definition,
  { own, signal, plugins }: Given
): LanguageModelV4CallOptions {
  const more = plugins === undefined ? added : [...added, ...plugins.added]
  const system = withSchema(definition, more.length === 0 ? own : [...(own === null ? [] : [own]), ...more].join('\n\n'))
  if (system !== null) history.unshift({ role: 'system', content: system })
  if (plugins !== undefined) appendContext(history, plugins.behind)
  appendContext(history, context)
  const tools = toTools(definition)
  const { settings, options } = candidate
  return {
    prompt: history,
    abortSignal: signal,
    ...(tools.length > 0 ? { tools } : {}),
    ...toSettings(settings, tools.length > 0),
    // Declared all the same: with calls in the history not every provider takes a request without tools.
    ...(last && tools.length > 0 ? { toolChoice: { type: 'none' as const } } : {}),
    ...(definition.outputSchema && tools.length === 0
      ? { responseFormat: { type: 'json', schema: definition.outputSchema as never } }
      : {}),
    ...(options ? { providerOptions: options as never } : {})
  }
}

/** About how long a request is, in characters: what tokens are estimated from where a provider reports none. */
export function requestLength(request: LanguageModelV4CallOptions): number {
  return JSON.stringify(request.prompt).length + JSON.stringify(request.tools ?? []).length
}

/** Beside tools not every provider takes a response format: there the model is told what its last answer must look like. */
function withSchema({ outputSchema, tools }: Definition, system: string | null): string | null {
  if (!outputSchema || tools.length === 0) return system
  const told = `When you are done, answer with JSON that matches this JSON Schema, and with nothing else:\n${JSON.stringify(outputSchema)}`
  return system === null ? told : `${system}\n\n${told}`
}

/** A promise only when a template is rendered for the first time. */
function renderSystem(state: State, definition: Definition): Own | Promise<Own> {
  const { systemPrompt } = definition
  if (systemPrompt === undefined || systemPrompt.trim() === '') return null
  if (!systemPrompt.includes('{{')) return systemPrompt
  return systemOf.get(state.variables)?.get(systemPrompt) ?? renderTemplate(state, systemPrompt)
}

async function renderTemplate(state: State, systemPrompt: string): Promise<string> {
  let rendered = systemOf.get(state.variables)
  if (!rendered) {
    rendered = new Map()
    systemOf.set(state.variables, rendered)
  }
  const values = Object.fromEntries(Object.entries(state.variables).map(([key, body]) => [key, inlineOf(body)]))
  const text = (await compileTemplate(systemPrompt)).render(values)
  rendered.set(systemPrompt, text)
  return text
}

function toTools(definition: Definition): LanguageModelV4FunctionTool[] {
  let tools = toolsOf.get(definition)
  if (!tools) {
    tools = definition.tools.map((tool) => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema as never
    }))
    toolsOf.set(definition, tools)
  }
  return tools
}

function toSettings(settings: ModelSettings | undefined, hasTools: boolean): Partial<LanguageModelV4CallOptions> {
  if (!settings) return {}
  const { toolChoice, stopSequences, ...plain } = settings
  return {
    ...plain,
    ...(stopSequences ? { stopSequences: [...stopSequences] } : {}),
    ...(toolChoice && hasTools ? { toolChoice: toToolChoice(toolChoice) } : {})
  }
}

function toToolChoice(choice: NonNullable<ModelSettings['toolChoice']>): LanguageModelV4ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool }
}
