import { CallAssembler } from './chat-calls.ts'
import type { ChatProgress } from './chat-chunk.ts'
import { toChatChunk, toMissingFinish } from './chat-chunk.ts'
import { isFields } from './fields.ts'

/** Makes proper events of a server's lines; gives the text to send on, which may be empty. */
export interface ChatEvents {
  line(line: string): string
  end(): string
}

/**
 * Reads the events of a Chat Completions stream and writes them as the API's description has them, so that the provider's package
 * reads what the server meant. Text that is not JSON is passed on for the package to refuse.
 */
export function createChatEvents(): ChatEvents {
  const progress: ChatProgress = { calls: new CallAssembler(), hasText: false, hasFinish: false, hasUsage: false }
  let data: string[] = []
  let event: string | undefined

  const finish = (): string => {
    const text = data.join('\n')
    const name = event
    data = []
    event = undefined
    return text === '' ? '' : toEvent(text, name, progress)
  }
  return {
    line(line) {
      if (line === '') return finish()
      const colon = line.indexOf(':')
      // A comment keeps a connection open and says nothing.
      if (colon === 0) return ''
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
      if (field === 'data') data.push(value)
      else if (field === 'event') event = value
      return ''
    },
    end: finish
  }
}

/** The events of an answer that came whole, although a stream was asked for. A stream that is only called JSON is read as what it is. */
export function toChatStream(body: string): string {
  const events = createChatEvents()
  const lines = body.split(/\r\n|\r|\n/)
  const isJson = body.trimStart().startsWith('{')
  const told = isJson ? [...lines.map((line) => `data: ${line}`), '', 'data: [DONE]', ''] : lines
  return told.map((line) => events.line(line)).join('') + events.end()
}

function toEvent(text: string, event: string | undefined, progress: ChatProgress): string {
  if (text.trim() === '[DONE]') {
    const missing = toMissingFinish(progress)
    return `${missing ? write(JSON.stringify(missing)) : ''}${write('[DONE]')}`
  }
  const chunk = parse(text)
  return write(isFields(chunk) ? JSON.stringify(toChatChunk(chunk, event, progress)) : text)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function write(text: string): string {
  // A text of several lines is several `data` lines of one event.
  return `data: ${text.replaceAll('\n', '\ndata: ')}\n\n`
}
