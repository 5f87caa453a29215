import type { TurnPrompt } from '@holdfast/runtime'
import { renderJson } from './render-event.ts'
import { toVisibleLine, toVisibleText } from './visible-text.ts'

type Request = TurnPrompt['request']
type Message = Request['prompt'][number]
type Content = Exclude<Message['content'], string>[number]

/** What a model was given, for people: every message whole, the tools with their schemas, the settings. Bytes of files are counted, not shown. */
export function renderPrompt({ turn, try: count, model, request }: TurnPrompt): readonly string[] {
  const { prompt, tools = [], ...settings } = request
  return [
    `turn ${toVisibleLine(turn)}, try ${count}: ${toVisibleLine(model)}`,
    ...prompt.flatMap((message) => ['', ...renderMessage(message)]),
    ...(tools.length === 0 ? [] : ['', 'tools', ...tools.flatMap(renderTool)]),
    ...(Object.keys(settings).length === 0 ? [] : ['', 'settings', `  ${renderJson(settings as never, 10_000)}`])
  ]
}

function renderMessage({ role, content }: Message): readonly string[] {
  if (typeof content === 'string') return [`${role}: ${indent(content)}`]
  return content.map((part) => `${role}: ${indent(renderPart(part))}`)
}

function renderPart(part: Content): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return `(reasoning) ${part.text}`
    case 'tool-call':
      return `calls ${part.toolName} ${renderWhole(part.input)} (${part.toolCallId})`
    case 'tool-result':
      return `result of ${part.toolName} (${part.toolCallId}): ${renderWhole('value' in part.output ? part.output.value : part.output.type)}`
    case 'file':
      return `(file ${part.mediaType}) ${renderFile(part.data)}`
    default:
      return `(${part.type}) ${renderWhole(part)}`
  }
}

function renderFile(data: Extract<Content, { type: 'file' }>['data']): string {
  if (data.type === 'url') return String(data.url)
  if (data.type === 'data') return `${data.data.length} ${typeof data.data === 'string' ? 'characters of base64' : 'bytes'}`
  return renderWhole(data.type === 'text' ? data.text : data.reference)
}

function renderTool(tool: NonNullable<Request['tools']>[number]): readonly string[] {
  if (tool.type !== 'function') return [`  ${toVisibleLine(tool.name)} (of the provider)`]
  return [`  ${toVisibleLine(tool.name)}: ${indent(tool.description ?? '')}`, `    ${toVisibleText(JSON.stringify(tool.inputSchema))}`]
}

function renderWhole(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function indent(text: string): string {
  return toVisibleText(text.trimEnd()).replaceAll('\n', '\n    ')
}
