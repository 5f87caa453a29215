import { cutText } from '../util/well-formed.ts'

/**
 * A path as it is shown in a line of text. One with line breaks, control characters or characters that change how others are shown is written as a JSON
 * string, so that it cannot look like anything else and can be given back.
 */
export function showPath(path: string): string {
  const bounded = path.length > 300 ? `${cutText(path, 300)}…` : path
  if (
    /^[\p{L}\p{M}\p{N}\p{P}\p{S}](?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?$/u.test(bounded) &&
    !bounded.startsWith('"')
  )
    return bounded
  return JSON.stringify(bounded).replace(/[\p{C}\p{Z}]/gu, (character) => (character === ' ' ? ' ' : escapeUnits(character)))
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
