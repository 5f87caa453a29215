import type { LanguageModel } from '@holdfast/runtime'

type Options = Parameters<LanguageModel['doStream']>[0]
type Stream = Awaited<ReturnType<LanguageModel['doStream']>>['stream']
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never

/** What the fake model says in one turn: text and a call, or the final text alone. */
interface Step {
  readonly text: string
  readonly call: { readonly id: string; readonly name: string; readonly input: string } | null
}

const USAGE = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 }
}

/**
 * A model without latency: in each turn 200 characters of text and one call of `add` with arguments that change, after `turns` turns a final
 * text. It reads where it stands off the end of the prompt alone, so that it costs the same in every turn. `onTurn` is called when it is asked.
 */
export function benchModel(turns: number, onTurn: (turn: number) => void = () => {}): LanguageModel {
  const next = (prompt: Options['prompt']): Step => {
    const turn = turnOf(prompt)
    onTurn(turn)
    if (turn >= turns) return { text: `final ${words(turn, 200)}`, call: null }
    return { text: `${turn} ${words(turn, 200)}`, call: { id: `c${turn}`, name: 'add', input: `{"a":${turn},"b":1}` } }
  }
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: async (options) => {
      const { text, call } = next(options.prompt)
      return {
        content: [
          { type: 'text', text },
          ...(call ? [{ type: 'tool-call' as const, toolCallId: call.id, toolName: call.name, input: call.input }] : [])
        ],
        finishReason: finishOf(call !== null),
        usage: USAGE,
        warnings: []
      }
    },
    doStream: async (options) => ({ stream: toStream(toParts(next(options.prompt))) })
  }
}

/** What the tool of the job does, for every contender. */
export function add(a: number, b: number): string {
  return JSON.stringify({ sum: a + b, note: words(a + 50, 100) })
}

/** Text of `length` characters that no store can compress away: another piece of a fixed pseudo-random text for each `index`. */
export function words(index: number, length: number): string {
  const at = (index * 977) % (TEXT.length - length)
  return TEXT.slice(at, at + length)
}

const TEXT = toText(200_000)

function toText(length: number): string {
  const letters = Buffer.alloc(length)
  let seed = 42
  for (let index = 0; index < length; index++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    const random = seed >>> 16
    // About one character in seven is a space.
    letters[index] = random % 7 === 0 ? 32 : 97 + (random % 26)
  }
  return letters.toString('latin1')
}

function turnOf(prompt: Options['prompt']): number {
  const last = prompt.at(-1)
  if (last?.role !== 'tool') return 0
  const part = last.content.at(-1)
  return part?.type === 'tool-result' ? Number(part.toolCallId.slice(1)) + 1 : 0
}

function toParts({ text, call }: Step): readonly StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r', modelId: 'bench' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
    ...(call ? [{ type: 'tool-call' as const, toolCallId: call.id, toolName: call.name, input: call.input }] : []),
    { type: 'finish', finishReason: finishOf(call !== null), usage: USAGE }
  ]
}

function toStream(parts: readonly StreamPart[]): Stream {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
  })
}

function finishOf(hasCall: boolean): { readonly unified: 'tool-calls' | 'stop'; readonly raw: undefined } {
  return { unified: hasCall ? 'tool-calls' : 'stop', raw: undefined }
}
