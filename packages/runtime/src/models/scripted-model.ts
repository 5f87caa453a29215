import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { HoldfastError } from '../contracts/errors.ts'
import type { OptionNames } from '../contracts/known-options.ts'
import { assertKnownOptions } from '../contracts/known-options.ts'
import type { LanguageModel } from '../contracts/model.ts'
import type { IndexedScript } from './script-position.ts'
import { countAnswers, findTurns, firstText, indexScript } from './script-position.ts'
import type { Script, ScriptTurn } from './script-turn.ts'
import { leavesNoTrace } from './script-turn.ts'
import { toContent, toFinish, toProviderError, toTurnStream } from './turn-stream.ts'

/** How a scripted model presents itself. */
export interface ScriptedModelOptions {
  /** Default `script`. */
  readonly modelId?: string
}

const NAMES: OptionNames<ScriptedModelOptions> = { modelId: true }

/** What a model that is written as a function is asked. */
export type Answer = (prompt: LanguageModelV4Prompt, options: LanguageModelV4CallOptions) => ScriptTurn | Promise<ScriptTurn>

type Pick = { readonly turn: ScriptTurn; readonly number: number }

/**
 * A model that follows a script: for tests, demonstrations and benchmarks.
 *
 * Which turn comes next is read off the prompt, from the number of the model's answers in it, so that a fresh process goes on where
 * a killed one was; the ids of calls are made of turn and position. A turn with `when` is skipped unless the last user or tool text
 * contains it. Turns that leave no trace in a history (an `error`, an empty answer) are shown once each, in order, to every
 * conversation, which its first message tells from others; that alone is remembered in memory, so a fresh process shows them again.
 * Past the end of the script the request fails with `script_exhausted`.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): LanguageModel {
  assertKnownOptions('scriptedModel', options, NAMES)
  const indexed = indexScript(script)
  const shown = new Map<string, number>()
  return createModel(options.modelId ?? 'script', ({ prompt }) => pickTurn(indexed, shown, prompt))
}

/** A model that a function answers for: the turn that it gives is streamed like one of a script. */
export function answeringModel(answer: Answer, options: ScriptedModelOptions = {}): LanguageModel {
  assertKnownOptions('answeringModel', options, NAMES)
  return createModel(options.modelId ?? 'function', async (call) => ({
    turn: await answer(call.prompt, call),
    number: countAnswers(call.prompt)
  }))
}

function createModel(modelId: string, pick: (call: LanguageModelV4CallOptions) => Pick | Promise<Pick>): LanguageModel {
  const start = async (call: LanguageModelV4CallOptions): Promise<Pick> => {
    call.abortSignal?.throwIfAborted()
    const picked = await pick(call)
    const { error, text, reasoning, toolCalls } = picked.turn
    const refused = error && text === undefined && reasoning === undefined && !toolCalls?.length
    if (refused) throw toProviderError(error)
    return picked
  }
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    async doStream(call) {
      const { turn, number } = await start(call)
      return { stream: toTurnStream(turn, number, call.abortSignal) }
    },
    async doGenerate(call) {
      const { turn, number } = await start(call)
      if (turn.error) throw toProviderError(turn.error)
      return { content: toContent(turn, number), ...toFinish(turn), warnings: [] }
    }
  }
}

function pickTurn(script: IndexedScript, shown: Map<string, number>, prompt: LanguageModelV4Prompt): Pick {
  const found = findTurns(script, prompt)
  const last = script.turns[found.at(-1) ?? -1]
  const ends = last !== undefined && !leavesNoTrace(last)
  const number =
    found[
      ends && found.length === 1 ? 0 : countShown(shown, JSON.stringify([found, firstText(prompt)]), ends ? found.length - 1 : found.length)
    ]
  const turn = script.turns[number ?? -1]
  if (!turn || number === undefined) throw exhausted(script, prompt)
  return { turn, number }
}

/** How many of the turns that leave no trace this conversation has been shown; counts one more. */
function countShown(shown: Map<string, number>, conversation: string, most: number): number {
  const count = shown.get(conversation) ?? 0
  shown.set(conversation, Math.min(count + 1, most))
  return count
}

function exhausted(script: IndexedScript, prompt: LanguageModelV4Prompt): HoldfastError {
  const answers = countAnswers(prompt)
  const message = `The script has ${script.turns.length} turns, and none is left for a prompt with ${answers} answers: add a turn, or end the run before.`
  return new HoldfastError('script_exhausted', message, { details: { turns: script.turns.length, answers } })
}
