import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { LanguageModel } from '@holdfast/runtime'
import { HoldfastError } from '@holdfast/runtime'
import { withChangedCalls } from './changed-calls.ts'
import type { ModelCapabilities } from './config.ts'

/** The same model, which is not asked what its profile says it cannot do: nothing is sent, and nothing is paid. */
export function withCapabilities(model: LanguageModel, ref: string, capabilities: ModelCapabilities | undefined): LanguageModel {
  if (capabilities === undefined) return model
  return withChangedCalls(model, (call) => {
    const asked = findBeyond(call, capabilities)
    if (asked === undefined) return call
    throw new HoldfastError(
      'provider_rejected',
      `The model profile "${ref}" says that its model ${asked} Use another model, or correct it.`
    )
  })
}

function findBeyond(call: LanguageModelV4CallOptions, capabilities: ModelCapabilities): string | undefined {
  const { tools, images, files, maxOutputTokens: most } = capabilities
  const { maxOutputTokens: wanted } = call
  if (tools === false && (call.tools?.length ?? 0) > 0) return 'takes no tools (capabilities.tools: false), and the agent has some.'
  const media = images === false || files === false ? mediaOf(call.prompt) : []
  if (images === false && media.some(isImage)) return 'takes no images (capabilities.images: false), and there is one in the conversation.'
  if (files === false && !media.every(isImage)) return 'takes no files (capabilities.files: false), and there is one in the conversation.'
  if (most === undefined || wanted === undefined || wanted <= most) return undefined
  return `answers with ${most} tokens at most (capabilities.maxOutputTokens), and ${wanted} were asked for.`
}

/** The media types of what is no text, also of what tools gave. */
function mediaOf(prompt: LanguageModelV4Prompt): readonly string[] {
  const parts = prompt.flatMap(({ content }) => (typeof content === 'string' ? [] : [...content]))
  const given = parts.flatMap((part) => (part.type === 'tool-result' && part.output.type === 'content' ? part.output.value : []))
  return [...parts, ...given].flatMap((part) => ('mediaType' in part && typeof part.mediaType === 'string' ? [part.mediaType] : []))
}

function isImage(mediaType: string): boolean {
  return mediaType.startsWith('image/')
}
