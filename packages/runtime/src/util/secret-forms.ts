/**
 * The texts in which a value may turn up: itself, escaped as JSON (also inside of JSON inside of JSON), percent-encoded, as a form field, and in
 * base64 wherever it begins in a group of three bytes. Of base64 only the characters that nothing but the value decides.
 */
export function toSecretForms(value: string): readonly string[] {
  return [...new Set([value, ...toJsonForms(value), ...toUrlForms(value), ...toBase64Forms(value)])]
}

// Writers of JSON escape more than they must, each in its own way.
const NOT_ASCII = /[^\0-\x7f]/g
const OF_HTML = /[<>&'=]/g

function toJsonForms(value: string): readonly string[] {
  const escaped = escapeJson(value)
  const forms = [escaped, escaped.replaceAll('/', '\\/'), escaped.replace(NOT_ASCII, toUnit), escaped.replace(OF_HTML, toUnit)]
  return [...forms, escaped.replace(OF_HTML, (character) => `\\u${hexOf(character, 4).toUpperCase()}`), escapeJson(escaped)]
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function toUnit(character: string): string {
  return `\\u${hexOf(character, 4)}`
}

function toUrlForms(value: string): readonly string[] {
  const component = encodeURIComponent(value)
  const strict = component.replace(/[!'()*]/g, (character) => `%${hexOf(character, 2).toUpperCase()}`)
  const field = new URLSearchParams([['', value]]).toString().slice(1)
  return [component, strict, field, encodeURI(value)].flatMap((form) => [form, form.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase())])
}

function toBase64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    const url = own.replaceAll('+', '-').replaceAll('/', '_')
    return [own, url, own.replaceAll('+', '%2B').replaceAll('/', '%2F')]
  })
}

function hexOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0')
}
