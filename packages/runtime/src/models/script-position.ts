import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import type { Script, ScriptTurn } from './script-turn.ts'
import { leavesNoTrace } from './script-turn.ts'

/** The id of a scripted call: the same for the same turn and position in every process. */
export function toCallId(turn: number, position: number): string {
  return `scripted_${turn}_${position}`
}

/** How many answers of the model stand in the prompt. Calls that the runtime put there itself are none of them. */
export function countAnswers(prompt: LanguageModelV4Prompt): number {
  let count = 0
  for (const message of prompt) if (isAnswer(message)) count += 1
  return count
}

/** A script, prepared for being asked often. */
export interface IndexedScript {
  readonly turns: readonly ScriptTurn[]
  readonly hasConditions: boolean
  /** Positions of the turns that will stand in a history. */
  readonly answers: readonly number[]
}

/** Prepares a script. */
export function indexScript({ turns }: Script): IndexedScript {
  const answers = turns.flatMap((turn, index) => (leavesNoTrace(turn) ? [] : [index]))
  return { turns, hasConditions: turns.some((turn) => turn.when !== undefined), answers }
}

/**
 * The turns that may answer a prompt, in order: first those that leave no trace in a history (failures, empty answers), at last
 * the one that does; empty past the script's end. Read off the prompt alone, so that a fresh process goes on where a killed one was.
 */
export function findTurns(script: IndexedScript, prompt: LanguageModelV4Prompt): number[] {
  const first = script.hasConditions ? replay(script, prompt) : skipAnswers(script, countAnswers(prompt))
  const text = script.hasConditions ? lastText(prompt) : ''
  const found: number[] = []
  for (let index = first; index < script.turns.length; index++) {
    const turn = script.turns[index]
    if (!turn || !applies(turn, text)) continue
    found.push(index)
    if (!leavesNoTrace(turn)) break
  }
  return found
}

/** The first text that a person gave. */
export function firstText(prompt: LanguageModelV4Prompt): string {
  const first = prompt.find((message) => message.role === 'user')
  return first?.role === 'user' ? textOf(first) : ''
}

/** The last text that a person or a tool gave. */
function lastText(prompt: LanguageModelV4Prompt, before: number = prompt.length): string {
  for (let index = before - 1; index >= 0; index--) {
    const message = prompt[index]
    if (message?.role === 'user' || message?.role === 'tool') return textOf(message)
  }
  return ''
}

function skipAnswers(script: IndexedScript, answers: number): number {
  if (answers === 0) return 0
  const last = script.answers[answers - 1]
  return last === undefined ? script.turns.length : last + 1
}

/** With conditions, which turns gave the answers of a prompt is found by going through it again. */
function replay({ turns, answers }: IndexedScript, prompt: LanguageModelV4Prompt): number {
  let next = 0
  for (const [at, message] of prompt.entries()) {
    if (!isAnswer(message)) continue
    const text = lastText(prompt, at)
    const used = answers.find((index) => index >= next && applies(turns[index], text))
    next = used === undefined ? turns.length : used + 1
  }
  return next
}

function applies(turn: ScriptTurn | undefined, text: string): boolean {
  return turn?.when === undefined || text.includes(turn.when)
}

function isAnswer(message: LanguageModelV4Message): boolean {
  if (message.role !== 'assistant') return false
  let injected = false
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'reasoning') return true
    if (part.type === 'tool-call' && !part.providerExecuted) {
      if (part.toolCallId.startsWith('scripted_')) return true
      injected = true
    }
  }
  return !injected
}

function textOf(message: Extract<LanguageModelV4Message, { role: 'user' | 'tool' }>): string {
  const texts: string[] = []
  for (const part of message.content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'tool-result') texts.push(resultText(part))
  }
  return texts.join('\n')
}

function resultText({ output }: LanguageModelV4ToolResultPart): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value
  return 'value' in output ? JSON.stringify(output.value) : ''
}
