import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { JsonObject } from '../contracts/json.ts'
import type { Part, ProviderMetadata } from '../contracts/message.ts'
import { toJson, toWholePart } from './whole-part.ts'

/** A piece of a response, shown while it arrives. Well-formed text: half of a surrogate pair is held back until the other half comes. */
export type ResponseDelta =
  | { readonly type: 'text.delta' | 'reasoning.delta'; readonly text: string }
  | { readonly type: 'arguments.delta'; readonly id: string; readonly tool: string; readonly text: string }

/** Is told of a response while it arrives. Must not throw. */
export interface DeltaListener {
  /** Called for every piece. `soFar` gives all that has come with it, one piece for each part that has text. */
  onDelta?(delta: ResponseDelta, soFar: () => readonly ResponseDelta[]): void
}

type Metadata = SharedV4ProviderMetadata | undefined
type Block = { kind: 'text' | 'reasoning'; chunks: string[]; half: string; metadata: ProviderMetadata | undefined }
type Call = Omit<Block, 'kind'> & { kind: 'call'; id: string; tool: string; input: string | undefined; providerExecuted: boolean }
type Entry = Block | Call | { kind: 'part'; part: Part }

/** Collects the parts of a stream, in the order in which they began. Linear: the chunks of a part are joined once, at the end. */
export class PartCollector {
  readonly #entries: Entry[] = []
  readonly #blocks = new Map<string, Block>()
  // Some servers give every call the same id, so one id may have several calls that wait for their end.
  readonly #calls = new Map<string, Call[]>()
  readonly #listener: DeltaListener
  #bytes = 0

  constructor(listener: DeltaListener = {}) {
    this.#listener = listener
  }

  /** Whether a call to one of our tools has begun. */
  get hasCalls(): boolean {
    return this.#entries.some((entry) => entry.kind === 'call' && !entry.providerExecuted)
  }

  /** What arrived, without empty blocks. A call whose end never came has the arguments that did. */
  parts(): Part[] {
    return this.#entries.flatMap(toParts)
  }

  /** Takes one part of the stream, and gives the UTF-8 bytes taken so far. Parts that carry no content are ignored. */
  take(part: LanguageModelV4StreamPart): number {
    this.#bytes += sizeOf(part)
    switch (part.type) {
      case 'text-start':
        this.#openBlock('text', part.id, part.providerMetadata)
        break
      case 'text-delta':
        this.#extendBlock('text', part.id, part.delta, part.providerMetadata)
        break
      case 'text-end':
        this.#closeBlock('text', part.id, part.providerMetadata)
        break
      case 'reasoning-start':
        this.#openBlock('reasoning', part.id, part.providerMetadata)
        break
      case 'reasoning-delta':
        this.#extendBlock('reasoning', part.id, part.delta, part.providerMetadata)
        break
      case 'reasoning-end':
        this.#closeBlock('reasoning', part.id, part.providerMetadata)
        break
      case 'tool-input-start':
        this.#openCall(part.id, part.toolName, part.providerExecuted === true, part.providerMetadata)
        break
      case 'tool-input-delta':
        this.#extendCall(part.id, part.delta, part.providerMetadata)
        break
      case 'tool-input-end':
        this.#extendCall(part.id, '', part.providerMetadata)
        break
      case 'tool-call':
        this.#settleCall(part)
        break
      default: {
        const whole = toWholePart(part)
        if (whole) this.#entries.push({ kind: 'part', part: whole })
      }
    }
    return this.#bytes
  }

  #openBlock(kind: Block['kind'], id: string, metadata: Metadata): Block {
    const block: Block = { kind, chunks: [], half: '', metadata: metadata && mergeMetadata(undefined, metadata) }
    this.#entries.push(block)
    this.#blocks.set(`${kind}:${id}`, block)
    return block
  }

  #extendBlock(kind: Block['kind'], id: string, delta: string, metadata: Metadata): void {
    const block = this.#blocks.get(`${kind}:${id}`) ?? this.#openBlock(kind, id, undefined)
    if (metadata) block.metadata = mergeMetadata(block.metadata, metadata)
    const text = delta === '' ? '' : addChunk(block, delta)
    if (text !== '') this.#tell(toDelta(block, text))
  }

  #closeBlock(kind: Block['kind'], id: string, metadata: Metadata): void {
    this.#extendBlock(kind, id, '', metadata)
    this.#blocks.delete(`${kind}:${id}`)
  }

  #openCall(id: string, tool: string, providerExecuted: boolean, metadata: Metadata): Call {
    const merged = metadata && mergeMetadata(undefined, metadata)
    const call: Call = { kind: 'call', id, tool, chunks: [], half: '', input: undefined, providerExecuted, metadata: merged }
    this.#entries.push(call)
    const open = this.#calls.get(id)
    if (open) open.push(call)
    else this.#calls.set(id, [call])
    return call
  }

  #extendCall(id: string, delta: string, metadata: Metadata): void {
    const call = this.#calls.get(id)?.at(-1)
    if (!call) return
    if (metadata) call.metadata = mergeMetadata(call.metadata, metadata)
    const text = delta === '' ? '' : addChunk(call, delta)
    if (text !== '') this.#tell(toDelta(call, text))
  }

  #tell(delta: ResponseDelta): void {
    this.#listener.onDelta?.(delta, () => this.#entries.flatMap(toDeltaSoFar))
  }

  #settleCall(part: LanguageModelV4ToolCall): void {
    if (!this.#calls.get(part.toolCallId)?.length) this.#openCall(part.toolCallId, part.toolName, false, undefined)
    const call = this.#calls.get(part.toolCallId)?.shift()
    if (!call) return
    call.tool = part.toolName
    // Providers are typed to give text here; some gateways' absent arguments arrive as null or undefined all the same.
    call.input = part.input ?? ''
    call.providerExecuted ||= part.providerExecuted === true
    if (part.providerMetadata) call.metadata = mergeMetadata(call.metadata, part.providerMetadata)
  }
}

/** Keeps a chunk and gives what of it can be shown now. */
function addChunk(entry: Block | Call, delta: string): string {
  entry.chunks.push(delta)
  const text = entry.half + delta
  const last = text.charCodeAt(text.length - 1)
  const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
  entry.half = text.slice(cut)
  return text.slice(0, cut).toWellFormed()
}

function toDelta(entry: Block | Call, text: string): ResponseDelta {
  if (entry.kind === 'call') return { type: 'arguments.delta', id: entry.id, tool: entry.tool, text }
  return { type: entry.kind === 'text' ? 'text.delta' : 'reasoning.delta', text }
}

function toDeltaSoFar(entry: Entry): ResponseDelta[] {
  if (entry.kind === 'part') return []
  const text = entry.chunks.join('')
  const shown = text.slice(0, text.length - entry.half.length).toWellFormed()
  return shown === '' ? [] : [toDelta(entry, shown)]
}

function toParts(entry: Entry): Part[] {
  if (entry.kind === 'part') return [entry.part]
  const metadata = entry.metadata && { metadata: entry.metadata }
  const text = entry.chunks.join('').toWellFormed()
  if (entry.kind === 'call') {
    const input = entry.input?.toWellFormed() ?? text
    const executed = entry.providerExecuted && { providerExecuted: true }
    return [{ type: 'tool-call', id: entry.id.toWellFormed(), tool: entry.tool.toWellFormed(), input, ...executed, ...metadata }]
  }
  // A signature without words must go back to the provider; an empty text block is refused by it.
  if (text === '' && (entry.kind === 'text' || !entry.metadata)) return []
  return [{ type: entry.kind, text, ...metadata }]
}

function mergeMetadata(known: ProviderMetadata | undefined, added: SharedV4ProviderMetadata): ProviderMetadata {
  const merged: { [provider: string]: ProviderMetadata[string] } = { ...known }
  for (const [provider, data] of Object.entries(added)) merged[provider] = { ...merged[provider], ...(toJson(data) as JsonObject) }
  return merged
}

/** What a part weighs that only marks a place in the stream. */
const MARK_BYTES = 64

function sizeOf(part: LanguageModelV4StreamPart): number {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return Buffer.byteLength(part.delta) + (part.providerMetadata ? sizeOfMetadata(part.providerMetadata) : 0)
    case 'tool-call':
      // Its text came as deltas, or is counted here.
      return part.input ? Buffer.byteLength(part.input) : 0
    case 'file':
    case 'reasoning-file':
      return part.data.type === 'data' ? part.data.data.length : part.data.url.href.length
    case 'tool-input-start':
      return MARK_BYTES + part.id.length + part.toolName.length + (part.providerMetadata ? sizeOfMetadata(part.providerMetadata) : 0)
    case 'source':
    case 'tool-result':
    case 'custom':
      return JSON.stringify(part).length
    case 'raw':
    case 'error':
      return 0
    default:
      return 'providerMetadata' in part && part.providerMetadata ? MARK_BYTES + sizeOfMetadata(part.providerMetadata) : MARK_BYTES
  }
}

function sizeOfMetadata(metadata: SharedV4ProviderMetadata): number {
  return JSON.stringify(metadata).length
}
