import type {
  LanguageModelV4CustomContent,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage
} from '@ai-sdk/provider'
import type { Alarm, Clock } from '../contracts/clock.ts'
import type { Part } from '../contracts/message.ts'
import type { Usage } from '../contracts/usage.ts'
import type { ModelError } from './model-failure.ts'
import { classifyModelError, toModelError } from './model-failure.ts'
import { isJsonObject, toUsage, usageOf } from './model-usage.ts'
import type { DeltaListener } from './read-parts.ts'
import { PartCollector } from './read-parts.ts'
import { MESSAGE_START } from './whole-part.ts'

/** What became of a model call, as it is committed. */
export type ModelResponse =
  | { readonly kind: 'responded'; readonly parts: Part[]; readonly finish: string; readonly usage: Usage; readonly model?: string }
  | ({ readonly kind: 'failed'; readonly usage?: Usage } & ModelError)

/** What says that a response is not wanted any more: an AbortSignal does. */
export interface StopSignal extends Pick<AbortSignal, 'aborted' | 'reason'> {
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** How a response is read. */
export interface ReadResponseOptions extends DeltaListener {
  readonly signal: StopSignal
  /** Bounds how long a stream may stay open behind its `finish`. Default: nothing does. */
  readonly clock?: Pick<Clock, 'alarm'>
  /** Past this many bytes the stream is cancelled and the call fails for good. */
  readonly maxBytes: number
  /** What was thrown, or sent as an error, as it may be kept. Default: as it is. */
  clean?(error: unknown): unknown
  /** Length of the request's text: what the input is estimated from when the provider does not count it. Read only then. */
  readonly promptCharacters?: number
}

// A stream may go on after its `finish` (a second message, a late error), but a server that keeps it open cannot hold up the turn.
const AFTER_FINISH_MS = 1_000

type Finish = { readonly reason: LanguageModelV4FinishReason; readonly usage: LanguageModelV4Usage }
type End = {
  error?: ModelError
  finish?: Finish | undefined
  model?: string
  /** What a provider counted when the response began: all that is known of one that breaks. */
  announced?: LanguageModelV4Usage
}

/**
 * Reads a model's stream to its end. Never throws: a failure is a value.
 *
 * A call counts only once the stream's `finish` has come and says neither interrupted, error nor length; otherwise the calls count,
 * whatever the finish reason is. Arguments stay the text that came; reading them is the gate's work.
 */
export async function readResponse(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: ReadResponseOptions
): Promise<ModelResponse> {
  const { signal, maxBytes, clock } = options
  const collector = new PartCollector(options)
  const end: End = {}
  const reader = stream.getReader()
  // Cancelling ends a pending read at once, also where the provider does not listen to its signal.
  const stop = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let alarm: Alarm | undefined
  let isOpen = true
  try {
    while (!end.error) {
      const { done, value } = await reader.read()
      isOpen = !done
      if (done || signal.aborted) break
      note(value, end, options)
      if (collector.take(value) > maxBytes) end.error = toExcess(maxBytes)
      if (end.finish) alarm ??= clock?.alarm(AFTER_FINISH_MS, stop)
    }
  } catch (error) {
    // The connection may break after everything was said.
    if (!end.finish) end.error = classifyModelError(clean(error, options))
  } finally {
    alarm?.stop()
    signal.removeEventListener('abort', stop)
    if (isOpen) stop()
  }
  if (signal.aborted) end.error = classifyModelError(undefined, signal)
  return toResponse(end, collector, options)
}

function toResponse(end: End, collector: PartCollector, options: ReadResponseOptions): ModelResponse {
  const { error, finish, model } = end
  const parts = collector.parts()
  const promptCharacters = (): number => options.promptCharacters ?? 0
  const failure = error ?? judgeFinish(finish, collector)
  if (failure) return { kind: 'failed', ...failure, ...failedUsage(end, parts, promptCharacters) }
  return {
    kind: 'responded',
    parts,
    finish: finish?.reason.unified ?? 'other',
    usage: usageOf(finish?.usage, parts, promptCharacters),
    ...(model !== undefined && { model })
  }
}

function toExcess(maxBytes: number): ModelError {
  return toModelError(
    'response_too_large',
    `The response is larger than ${maxBytes} bytes. Ask for a shorter one, or bound it with maxOutputTokens.`
  )
}

function clean(error: unknown, options: ReadResponseOptions): unknown {
  return options.clean ? options.clean(error) : error
}

/** What a part says beside its content. */
function note(part: LanguageModelV4StreamPart, end: End, options: ReadResponseOptions): void {
  switch (part.type) {
    case 'error':
      end.error = classifyModelError(clean(part.error, options))
      break
    case 'response-metadata':
      if (part.modelId) end.model = part.modelId.toWellFormed()
      break
    case 'custom':
      noteStart(part, end)
      break
    case 'finish':
      end.finish = { reason: part.finishReason, usage: part.usage }
      break
    default:
      if (end.finish && isContent(part)) end.finish = undefined
  }
}

function noteStart(part: LanguageModelV4CustomContent, end: End): void {
  if (part.kind !== MESSAGE_START) return
  const usage = part.providerMetadata?.['anthropic']?.['usage']
  const raw = isJsonObject(usage) ? usage : {}
  const count = (name: string): number | undefined => {
    const value = raw[name]
    return typeof value === 'number' ? value : undefined
  }
  end.announced = {
    inputTokens: {
      total: undefined,
      noCache: count('input_tokens'),
      cacheRead: count('cache_read_input_tokens'),
      cacheWrite: count('cache_creation_input_tokens')
    },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    raw
  }
}

function isContent(part: LanguageModelV4StreamPart): boolean {
  return part.type.endsWith('-start') || part.type.endsWith('-delta') || part.type === 'tool-call'
}

function judgeFinish(finish: Finish | undefined, collector: PartCollector): ModelError | undefined {
  switch (finish?.reason.unified) {
    case undefined:
      return toModelError('stream_interrupted', 'The response ended before it was finished.')
    case 'interrupted':
      return toModelError('stream_interrupted', 'The provider was interrupted in the middle of its response.')
    case 'error':
      return toModelError('provider_unavailable', `The provider ended its response with an error${reasonOf(finish)}.`)
    case 'length':
      // A call out of the part that arrived is never run: even complete arguments may be a beginning.
      return collector.hasCalls ? toModelError('output_truncated', 'The output limit cut the response while it called a tool.') : undefined
    default:
      return undefined
  }
}

function reasonOf(finish: Finish | undefined): string {
  return finish?.reason.raw ? ` (${finish.reason.raw})` : ''
}

/** Failed calls cost, too: what was reported, else a guess from what arrived, else nothing is claimed. */
function failedUsage(end: End, parts: readonly Part[], promptCharacters: () => number): { readonly usage?: Usage } {
  const [reported] = [end.finish?.usage, end.announced].filter((usage) => hasTokens(usage))
  return reported || parts.length > 0 ? { usage: usageOf(reported, parts, promptCharacters) } : {}
}

function hasTokens(reported: LanguageModelV4Usage | undefined): boolean {
  const { inputTokens, outputTokens } = toUsage(reported)
  return inputTokens + outputTokens > 0
}
