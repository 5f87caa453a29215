/** How deep JSON from outside may be nested: whatever walks over it calls itself. */
export const MAX_LEVELS = 500

const STEPS: { readonly [character: string]: number } = { '[': 1, '{': 1, ']': -1, '}': -1 }

/** Whether a JSON text is nested deeper than that. Looks at the text, so that no depth is too deep for it. */
export function isDeeplyNested(json: string): boolean {
  if (json.length < 2 * MAX_LEVELS) return false
  let level = 0
  let isInText = false
  for (let index = 0; index < json.length && level <= MAX_LEVELS; index++) {
    const character = json.charAt(index)
    if (character === '"') isInText = !isInText
    else if (!isInText) level += STEPS[character] ?? 0
    else if (character === '\\') index += 1
  }
  return level > MAX_LEVELS
}
