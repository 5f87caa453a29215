import type { FactOf, InjectedPrompt } from '@holdfast/runtime'

/** A call as the log names it. */
export interface NamedCall {
  readonly call: string
  readonly tool: string
  readonly input: string
}

/** An initial prompt of a thread with its calls, which are numbered through. */
export interface PromptWithCalls {
  readonly text: string
  readonly calls: readonly NamedCall[]
}

/** The initial prompts of a thread; none where they are kept as an artifact. */
export function toInjectedPrompts({ turn, prompts }: FactOf<'prompts.injected'>): readonly PromptWithCalls[] {
  const list: readonly InjectedPrompt[] = 'inline' in prompts ? prompts.inline : []
  let position = 0
  return list.map(({ text = '', calls = [] }) => ({
    text,
    calls: calls.map(({ tool, input }) => ({ call: `${turn}.${position++}`, tool, input }))
  }))
}

/** Whether a call was made by a definition: turn 0 holds those. */
export function isInjected(call: string): boolean {
  return /\/0\.\d+$/.test(call)
}
