import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelResponse } from '../src/effects/read-response.ts'
import { readResponse } from '../src/effects/read-response.ts'
import { systemClock } from '../src/engine/system-clock.ts'

type FinishReason = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason']['unified']

/** Usage as a provider reports it. */
export const usage = (input?: number, output?: number): Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage'] => ({
  inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined }
})
/** A `finish` part. */
export const finish = (unified: FinishReason, input?: number, output?: number): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: usage(input, output)
})
/** A `tool-call` part. */
export const call = (id: string, toolName: string, input: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName,
  input
})
/** A piece of text. */
export const text = (id: string, delta: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta })

/** A stream of the parts that then closes, stays open or breaks. */
export function streamOf(
  parts: readonly LanguageModelV4StreamPart[],
  end: 'close' | 'stay' | Error = 'close'
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      if (end === 'close') controller.close()
    },
    pull(controller) {
      if (end instanceof Error) controller.error(end)
    }
  })
}

/** Reads a stream of the parts. */
export function read(
  parts: readonly LanguageModelV4StreamPart[],
  end: 'close' | 'stay' | Error = 'close',
  signal = new AbortController().signal
): Promise<ModelResponse> {
  return readResponse(streamOf(parts, end), { signal, clock: systemClock, maxBytes: 1_000_000 })
}
