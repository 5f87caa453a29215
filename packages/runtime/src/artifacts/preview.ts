import { cutText } from '../util/well-formed.ts'

const PREVIEW_LENGTH = 200

/** The beginning of a large body, for lists: of a message its texts, of a result its value, else of the JSON. */
export function toPreview(body: unknown, json: string): string {
  const text = textOf(body) ?? json
  return text.length <= PREVIEW_LENGTH ? text : `${cutText(text, PREVIEW_LENGTH - 1)}…`
}

function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (Array.isArray(body)) {
    const texts = body.flatMap((part) => fieldOf(part, 'text'))
    return texts.length > 0 ? texts.join(' ') : undefined
  }
  const [said] = [...fieldOf(body, 'value'), ...fieldOf(body, 'error')]
  return said
}

function fieldOf(value: unknown, field: string): readonly string[] {
  const found = value !== null && typeof value === 'object' ? (value as { readonly [name: string]: unknown })[field] : undefined
  return typeof found === 'string' ? [found] : []
}
