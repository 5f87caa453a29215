import type { Fields } from './fields.ts'
import { isFields } from './fields.ts'

/** Makes proper events of a server's lines; gives the text to send on, which may be empty. */
export interface StreamEvents {
  line(line: string): string
  end(): string
}

/** Reads events off lines as servers send them; `toText` gives the text to send on for the data of one, with its name if it has one. */
export function createStreamEvents(toText: (data: string, event: string | undefined) => string): StreamEvents {
  let data: string[] = []
  let event: string | undefined

  const finish = (): string => {
    const text = data.join('\n')
    const name = event
    data = []
    event = undefined
    return text === '' ? '' : toText(text, name)
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

/** The object of an event's data, or undefined when it is none. */
export function parseEventData(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** One event; a text of several lines is several `data` lines of it. */
export function writeEvent(text: string): string {
  return `data: ${text.replaceAll('\n', '\ndata: ')}\n\n`
}
