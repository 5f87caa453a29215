import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV4Content, LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { toCallId } from './script-position.ts'
import type { ScriptError, ScriptTurn, ScriptUsage } from './script-turn.ts'

const DELTAS = 4

/** The stream of a scripted turn. `number` makes the ids of its calls. */
export function toTurnStream(turn: ScriptTurn, number: number, signal?: AbortSignal): ReadableStream<LanguageModelV4StreamPart> {
  const parts = toStreamParts(turn, number)
  const { delayMs } = turn
  return new ReadableStream({
    async start(controller) {
      try {
        if (delayMs) await sleep(delayMs, undefined, { signal })
        signal?.throwIfAborted()
        for (const part of parts) controller.enqueue(part)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
    }
  })
}

/** A scripted turn as the content of a response that does not stream. */
export function toContent(turn: ScriptTurn, number: number): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = []
  if (turn.reasoning) content.push({ type: 'reasoning', text: turn.reasoning })
  if (turn.text) content.push({ type: 'text', text: turn.text })
  for (const call of toCalls(turn, number)) content.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.input })
  return content
}

/** The finish of a scripted turn. */
export function toFinish(turn: ScriptTurn): { finishReason: LanguageModelV4FinishReason; usage: LanguageModelV4Usage } {
  const unified = turn.finish ?? (turn.toolCalls?.length ? 'tool-calls' : 'stop')
  return { finishReason: { unified, raw: unified }, usage: toReported(turn.usage) }
}

/** A failure as a provider of the AI SDK throws it. */
export function toProviderError({ message = 'scripted error', status, retryAfter, transient = true }: ScriptError): Error {
  const statusCode = status ?? (transient ? 503 : 400)
  return Object.assign(new Error(message), {
    name: 'AI_APICallError',
    statusCode,
    isRetryable: status === undefined ? transient : status === 408 || status === 409 || status === 429 || status >= 500,
    responseHeaders: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  })
}

function toStreamParts(turn: ScriptTurn, number: number): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  if (turn.reasoning !== undefined) {
    parts.push({ type: 'reasoning-start', id: 'reasoning' })
    for (const delta of toPieces(turn.reasoning)) parts.push({ type: 'reasoning-delta', id: 'reasoning', delta })
    parts.push({ type: 'reasoning-end', id: 'reasoning' })
  }
  if (turn.text !== undefined) {
    parts.push({ type: 'text-start', id: 'text' })
    for (const delta of toPieces(turn.text)) parts.push({ type: 'text-delta', id: 'text', delta })
    parts.push({ type: 'text-end', id: 'text' })
  }
  for (const { id, name, input } of toCalls(turn, number)) {
    parts.push({ type: 'tool-input-start', id, toolName: name })
    for (const delta of toPieces(input)) parts.push({ type: 'tool-input-delta', id, delta })
    parts.push({ type: 'tool-input-end', id }, { type: 'tool-call', toolCallId: id, toolName: name, input })
  }
  if (turn.error) parts.push({ type: 'error', error: toProviderError(turn.error) })
  else parts.push({ type: 'finish', ...toFinish(turn) })
  return parts
}

function toCalls(turn: ScriptTurn, number: number): { id: string; name: string; input: string }[] {
  return (turn.toolCalls ?? []).map((call, position) => {
    // Text is what the model wrote, word for word: that is how a script shows broken arguments.
    const input = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {})
    return { id: toCallId(number, position), name: call.name, input }
  })
}

/** A text in a few pieces, none of which ends inside a surrogate pair. */
function toPieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / DELTAS))
  const pieces: string[] = []
  let start = 0
  while (start < text.length) {
    let end = Math.min(text.length, start + size)
    const last = text.charCodeAt(end - 1)
    if (last >= 0xd800 && last <= 0xdbff) end += 1
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

function toReported(usage: ScriptUsage | undefined): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: usage?.inputTokens,
      noCache: undefined,
      cacheRead: usage?.cachedInputTokens,
      cacheWrite: usage?.cacheWriteTokens
    },
    outputTokens: { total: usage?.outputTokens, text: undefined, reasoning: usage?.reasoningTokens }
  }
}
