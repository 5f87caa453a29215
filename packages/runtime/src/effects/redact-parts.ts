// Keeps I14 in messages: what a model said and what it was told.
import type { Json } from '../contracts/json.ts'
import type { Part, ProviderMetadata, ToolCallPart } from '../contracts/message.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import { parseArguments } from '../state/arguments.ts'

/** Parts without secrets, also where one begins in a part and ends in the next of its kind: they are shown one after the other. */
export function redactParts(parts: readonly Part[], secrets: SecretRegistry): readonly Part[] {
  if (secrets.size === 0) return parts
  const texts = secrets.redactAll(parts.map((part) => textOf(part, 'text')))
  const thoughts = secrets.redactAll(parts.map((part) => textOf(part, 'reasoning')))
  return parts.map((part, index): Part => {
    switch (part.type) {
      case 'text':
        return { ...part, text: texts[index] ?? '', ...redactMetadata(part.metadata, secrets) }
      case 'reasoning':
        return redactReasoning(part, thoughts[index] ?? '', secrets)
      case 'tool-call':
        return redactCall(part, secrets)
      default:
        return { ...secrets.redactJson(part), type: part.type } as Part
    }
  })
}

/** The names of the secrets that stand in parts. */
export function namesInParts(parts: readonly Part[], secrets: SecretRegistry): readonly string[] {
  if (secrets.size === 0) return []
  const text = parts.map((part) => textOf(part, 'text')).join('')
  return [...new Set([...secrets.namesIn(JSON.stringify(parts)), ...secrets.namesIn(text)])]
}

/** A call as it may be kept. Its arguments are read first: JSON can hide any character behind its number. */
export function redactCall(part: ToolCallPart, secrets: SecretRegistry): ToolCallPart {
  const { id, tool, input, metadata } = part
  return {
    ...part,
    id: secrets.redact(id),
    tool: secrets.redact(tool),
    input: redactInput(input, secrets),
    ...redactMetadata(metadata, secrets)
  }
}

/** The text of arguments without secrets. */
export function redactInput(input: string, secrets: SecretRegistry): string {
  const parsed = parseArguments(input)
  const value: Json = parsed.ok ? parsed.value : null
  const redacted = secrets.redactJson(value)
  return redacted === value ? secrets.redact(input) : JSON.stringify(redacted)
}

function textOf(part: Part, type: 'text' | 'reasoning'): string {
  return part.type === type ? part.text : ''
}

/** A provider that finds a signature over other words refuses the whole request. */
function redactReasoning(part: Extract<Part, { type: 'reasoning' }>, text: string, secrets: SecretRegistry): Part {
  const { metadata } = redactMetadata(part.metadata, secrets)
  if (text === part.text || !metadata) return { ...part, text, ...(metadata && { metadata }) }
  const unsigned = Object.entries(metadata).map(([provider, { signature: _, ...data }]) => [provider, data])
  return { ...part, text, metadata: Object.fromEntries(unsigned) }
}

function redactMetadata(metadata: ProviderMetadata | undefined, secrets: SecretRegistry): { readonly metadata?: ProviderMetadata } {
  return metadata === undefined ? {} : { metadata: secrets.redactJson(metadata) }
}
