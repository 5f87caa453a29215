import { toSecretForms } from './secret-forms.ts'

/** A place in a text where values stand, side by side or one over the other. */
export interface Found {
  readonly start: number
  readonly end: number
  /** The name of the longest of them. */
  readonly name: string
}

/** One search for all forms of some values. Linear in the text: a bounded step for each character. */
export class SecretSearch {
  /** Length of the longest form. */
  readonly longest: number
  readonly #pattern: RegExp
  readonly #names: ReadonlyMap<string, string>
  readonly #byFirst = new Map<string, string[]>()

  /** @param values - Names by value. */
  constructor(values: ReadonlyMap<string, string>) {
    const names = new Map<string, string>()
    for (const [value, name] of values) for (const form of toSecretForms(value)) if (!names.has(form)) names.set(form, name)
    const forms = [...names.keys()].sort((a, b) => b.length - a.length)
    for (const form of forms) {
      const first = form.charAt(0)
      const known = this.#byFirst.get(first)
      if (known) known.push(form)
      else this.#byFirst.set(first, [form])
    }
    this.#names = names
    this.#pattern = new RegExp(forms.map(toPattern).join('|'), 'g')
    this.longest = forms[0]?.length ?? 0
  }

  has(text: string): boolean {
    this.#pattern.lastIndex = 0
    return this.#pattern.test(text)
  }

  /** All places, in order; values that overlap are one place. */
  find(text: string): readonly Found[] {
    const places: { start: number; end: number; name: string; length: number }[] = []
    let next = this.#next(text, 0)
    while (next) {
      const { start, form } = next
      const end = start + form.length
      const name = this.#names.get(form) ?? ''
      const last = places.at(-1)
      if (last && start < last.end) {
        if (form.length > last.length) Object.assign(last, { name, length: form.length })
        last.end = Math.max(last.end, end)
      } else places.push({ start, end, name, length: form.length })
      // What begins inside of this place may reach beyond it.
      next = this.#next(text, start + 1)
    }
    return places
  }

  /** Where the end of a text begins that may be the beginning of a form; the text's length when none is. */
  openEnd(text: string): number {
    for (let start = Math.max(0, text.length - this.longest + 1); start < text.length; start++) {
      const forms = this.#byFirst.get(text.charAt(start))
      if (!forms) continue
      const end = text.slice(start)
      if (forms.some((form) => form.length > end.length && form.startsWith(end))) return start
    }
    return text.length
  }

  #next(text: string, from: number): { readonly start: number; readonly form: string } | null {
    this.#pattern.lastIndex = from
    const match = this.#pattern.exec(text)
    return match ? { start: match.index, form: match[0] } : null
  }
}

function toPattern(form: string): string {
  return form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
