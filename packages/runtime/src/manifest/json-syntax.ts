const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
const LITERAL = /true|false|null/y
const SPACE = /[ \t\n\r]*/y

/** Where a text stops being JSON, and what was expected there. */
export interface JsonFault {
  readonly offset: number
  readonly expected: string
}

type Next = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

/** Where a text stops being JSON (RFC 8259); undefined when it is JSON. Linear in time, and no deep nesting overflows it. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ('[' | '{')[] = []
  let next: Next = 'value'
  let offset = skip(SPACE, text, 0)
  while (offset < text.length) {
    const step = advance(text, offset, next, open)
    if (step === undefined) return { offset, expected: toExpected(next) }
    next = step.next
    offset = skip(SPACE, text, step.end)
  }
  return next === 'end' ? undefined : { offset, expected: toExpected(next) }
}

interface Step {
  readonly end: number
  readonly next: Next
}

function advance(text: string, offset: number, next: Next, open: ('[' | '{')[]): Step | undefined {
  const character = text.charAt(offset)
  switch (next) {
    case 'end':
      return undefined
    case 'key':
    case 'key or }':
      if (next === 'key or }' && character === '}') return close(offset, open)
      return match(STRING, text, offset, ':')
    case ':':
      return character === ':' ? { end: offset + 1, next: 'value' } : undefined
    case ', or ]':
      return character === ']' ? close(offset, open) : comma(character, offset, 'value')
    case ', or }':
      return character === '}' ? close(offset, open) : comma(character, offset, 'key')
    case 'value':
    case 'value or ]':
      if (next === 'value or ]' && character === ']') return close(offset, open)
      return readValue(text, offset, character, open)
  }
}

function readValue(text: string, offset: number, character: string, open: ('[' | '{')[]): Step | undefined {
  if (character === '[' || character === '{') {
    open.push(character)
    return { end: offset + 1, next: character === '[' ? 'value or ]' : 'key or }' }
  }
  const pattern = character === '"' ? STRING : /[tfn]/.test(character) ? LITERAL : NUMBER
  return match(pattern, text, offset, afterValue(open))
}

function close(offset: number, open: ('[' | '{')[]): Step {
  open.pop()
  return { end: offset + 1, next: afterValue(open) }
}

function comma(character: string, offset: number, next: Next): Step | undefined {
  return character === ',' ? { end: offset + 1, next } : undefined
}

function match(pattern: RegExp, text: string, offset: number, next: Next): Step | undefined {
  const end = skip(pattern, text, offset)
  return end === offset ? undefined : { end, next }
}

function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : offset
}

function afterValue(open: readonly ('[' | '{')[]): Next {
  const around = open.at(-1)
  if (around === undefined) return 'end'
  return around === '[' ? ', or ]' : ', or }'
}

function toExpected(next: Next): string {
  if (next === 'end') return 'nothing after the value'
  return next === ':'
    ? 'a colon'
    : next.startsWith('key')
      ? next.replace('key', 'a key in double quotes')
      : next.replace('value', 'a JSON value')
}
