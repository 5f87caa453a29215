/** How far the text of a JSON value has come: nothing but blanks, some of it, or all of a structured one. */
export type JsonProgress = 'blank' | 'open' | 'complete'

/** Follows a JSON object or array while its text arrives, by its structure alone. Linear: every character is looked at once. */
export interface JsonFollower {
  push(text: string): void
  progress(): JsonProgress
}

/** Makes a follower. */
export function createJsonFollower(): JsonFollower {
  let depth = 0
  let inString = false
  let escaped = false
  let progress: JsonProgress = 'blank'

  const lookInside = (character: string): void => {
    if (escaped) escaped = false
    else if (character === '\\') escaped = true
    else if (character === '"') inString = false
  }
  const look = (character: string): void => {
    if (inString) lookInside(character)
    else if (character === '"') inString = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    // A scalar has no end of its own, so it stays open.
    if (depth <= 0 && (character === '}' || character === ']')) progress = 'complete'
  }
  return {
    push(text) {
      for (let at = 0; at < text.length && progress !== 'complete'; at++) {
        const character = text.charAt(at)
        if (progress === 'blank' && character.trim() === '') continue
        progress = 'open'
        look(character)
      }
    },
    progress: () => progress
  }
}

/** Whether the text begins an object or an array. */
export function startsStructure(text: string): boolean {
  return /^\s*[{[]/.test(text)
}
