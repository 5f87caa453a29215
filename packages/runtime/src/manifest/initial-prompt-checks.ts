import type { AgentTool } from '../contracts/agent-tool.ts'
import type { InitialCall, InitialPrompt } from '../contracts/initial-prompt.ts'
import type { Json } from '../contracts/json.ts'
import type { VariableDeclaration } from '../contracts/publication.ts'
import { nearest } from '../util/near-miss.ts'
import type { AgentFault } from './agent-fault.ts'
import type { Path } from './problem.ts'
import { referenceOf } from './resolve-tools.ts'
import { toToolName } from './tool-name.ts'
import { findTemplateFaults } from './template-checks.ts'
import { TASK_COMPLETE_NAME } from './tool-registry.ts'

/** What of a definition says what its threads begin with. */
export interface WrittenInitialPrompts {
  readonly initialPrompts?: readonly InitialPrompt[]
  /** Null when they cannot be read: then nobody knows which ones there are. */
  readonly tools?: readonly AgentTool[] | null
}

/** What is wrong with initial prompts as they are written: they say nothing, call what is no tool of the definition, or have templates that cannot be rendered. */
export async function findInitialFaults(
  { initialPrompts = [], tools = [] }: WrittenInitialPrompts,
  variables: readonly VariableDeclaration[] | null
): Promise<readonly AgentFault[]> {
  const faults: AgentFault[] = []
  for (const [index, { prompt, toolCalls = [] }] of initialPrompts.entries()) {
    const path = ['initialPrompts', index]
    if (prompt === undefined && toolCalls.length === 0) faults.push({ ...NOTHING, path })
    if (prompt !== undefined) faults.push(...(await findTemplateFaults([...path, 'prompt'], prompt, variables)))
    for (const [at, call] of toolCalls.entries()) {
      const where = [...path, 'toolCalls', at]
      if (tools !== null) faults.push(...findToolFaults([...where, 'tool'], call, tools))
      for (const { path: inside, text } of textsIn(call.arguments ?? {}, [...where, 'arguments'])) {
        faults.push(...(await findTemplateFaults(inside, text, variables)))
      }
    }
  }
  return faults
}

const NOTHING = { code: 'missing', message: 'this initial prompt says nothing and calls nothing', expected: 'prompt or toolCalls' } as const

/** What is wrong with the name of the tool that a call is of. */
export function findToolFaults(path: Path, { tool }: InitialCall, tools: readonly AgentTool[]): readonly AgentFault[] {
  const wanted = toToolName(tool)
  if (wanted === TASK_COMPLETE_NAME) return [{ code: 'invalid', path, message: 'task_complete would end a run before it has begun' }]
  const names = tools.map((entry) => toToolName(referenceOf(entry)))
  if (names.includes(wanted)) return []
  const [nearMiss] = nearest(wanted, names)
  const expected = names.length === 0 ? 'a tool of the definition: it has none' : `one of ${names.slice(0, 20).join(', ')}`
  return [
    { code: 'invalid', path, message: 'this is no tool of the definition', expected, ...(nearMiss === undefined ? {} : { nearMiss }) }
  ]
}

/** The texts in a value that may be templates, and where they stand. */
function textsIn(value: Json, path: Path): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof value === 'string') return value.includes('{{') ? [{ path, text: value }] : []
  if (typeof value !== 'object' || value === null) return []
  const entries: readonly (readonly [string | number, Json])[] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, item]) => textsIn(item, [...path, key]))
}
