// What models, tools, files and people wrote must not steer the terminal: every character that would is shown by its number instead.

/** Controls (C0 without tab and newline, DEL, C1), bidirectional overrides and isolates, line and paragraph separators, lone surrogates. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu
/** In data also what has no width, and spaces that are none of ours. */
const HIDDEN_IN_JSON = /[\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}/gu

/** Text of several lines for a terminal. Newlines and tabs stay; what would move the cursor or change colours is made visible. */
export function toVisibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, toNumber)
}

/** The same on one line and of bounded length. */
export function toVisibleLine(text: string, maxLength = 200): string {
  const characters = [...text.slice(0, maxLength * 4)]
  const cut = characters.slice(0, maxLength).join('')
  const shown = toVisibleText(cut).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return cut.length < text.length ? `${shown}...` : shown
}

/** JSON for machines that is harmless when a person looks at it: the same value, with more of it escaped. */
export function toJsonText(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(HIDDEN_IN_JSON, toJsonEscape)
}

function toNumber(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : toJsonEscape(character)
}

function toJsonEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
