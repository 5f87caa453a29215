import type { FilteredValueToken } from 'liquidjs'
import { HoldfastError } from '../contracts/errors.ts'
import type { Json } from '../contracts/json.ts'
import { loadLiquid } from './libraries.ts'
import { nearest } from '../util/near-miss.ts'
import type { FilterValue } from './template-filters.ts'
import { TEMPLATE_FILTERS, toText } from './template-filters.ts'
import type { Lookup } from './template-lookup.ts'
import { createLookup } from './template-lookup.ts'

/** Values by name, as a template sees them. */
export type TemplateValues = { readonly [key: string]: Json }

/** A name that a template reads: its path, and where its expression stands in the text. */
export interface TemplateReference {
  readonly path: readonly string[]
  readonly offset: number
}

/** A template, ready to be rendered often. */
export interface Template {
  readonly references: readonly TemplateReference[]
  /** In one pass: what a value holds is never itself rendered. Throws `value_too_large` above 16,777,216 characters. */
  render(values: TemplateValues): string
}

/** What is wrong with a template, and where in its text. */
export interface TemplateFault {
  readonly offset: number
  readonly message: string
  readonly nearMiss?: string
}

/** A template, or what is wrong with it. */
export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly faults: readonly TemplateFault[] }

type Liquid = Awaited<ReturnType<typeof loadLiquid>>

/** A name, or a literal. */
type Operand = { readonly path: readonly string[] } | { readonly literal: Json }

interface Expression {
  readonly path: readonly string[]
  readonly filters: readonly { readonly name: string; readonly args: readonly Operand[] }[]
}

const MAX_RENDERED = 16_777_216
const MAX_EXPRESSION = 1_000

const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_-]*`
const PATH = String.raw`${NAME}(?:\.(?:${NAME}|[0-9]+))*`
const OPERAND = String.raw`(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|-?[0-9]+(?:\.[0-9]+)?|${PATH})`
const FILTER = String.raw`\s*\|\s*[a-z_]+(?:\s*:\s*${OPERAND}(?:\s*,\s*${OPERAND})*)?`
let expression: RegExp | undefined

/** Compiles a template: text with `{{ path | filter }}`. Throws `invalid_manifest` (details: `faults`) when it is none. */
export async function compileTemplate(text: string): Promise<Template> {
  const parsed = await parseTemplate(text)
  if (parsed.ok) return parsed.template
  const [first] = parsed.faults
  throw new HoldfastError(
    'invalid_manifest',
    `The template cannot be used: ${first?.message ?? ''} (at character ${(first?.offset ?? 0) + 1}).`,
    {
      details: { faults: parsed.faults.map((fault) => ({ ...fault })) }
    }
  )
}

/** Parses a template, and tells all that is wrong with it. */
export async function parseTemplate(text: string): Promise<ParsedTemplate> {
  if (!text.includes('{{')) return { ok: true, template: toTemplate([text], []) }
  const liquid = await loadLiquid()
  const faults: TemplateFault[] = []
  const parts: (string | Expression)[] = []
  const references: TemplateReference[] = []
  for (const piece of readPieces(liquid, text, faults)) {
    if (typeof piece === 'string') parts.push(piece)
    else readExpression(liquid, piece, { parts, references, faults })
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, template: toTemplate(parts, references) }
}

/** The text between braces, and where it stands. */
interface Braced {
  readonly source: string
  readonly offset: number
}

function readPieces(liquid: Liquid, text: string, faults: TemplateFault[]): readonly (string | Braced)[] {
  // There are no tags: no text holds half of a surrogate pair.
  const options = { ...liquid.defaultOptions, tagDelimiterLeft: '\ud800{%', tagDelimiterRight: '%}\ud800' }
  try {
    return new liquid.Tokenizer(text).readTopLevelTokens(options).map((token) => {
      if (!liquid.TypeGuards.isOutputToken(token)) return token.getText()
      const trims = text.charAt(token.begin + 2) === '-' || text.charAt(token.end - 3) === '-'
      const [begin, end] = trims ? [token.begin + 2, token.end - 2] : token.contentRange
      return { source: text.slice(begin, end), offset: begin }
    })
  } catch {
    const offset = text.lastIndexOf('{{')
    faults.push({ offset, message: 'the braces "{{" are not closed by "}}"' })
    return []
  }
}

interface Parsing {
  readonly parts: (string | Expression)[]
  readonly references: TemplateReference[]
  readonly faults: TemplateFault[]
}

function readExpression(liquid: Liquid, { source, offset }: Braced, parsing: Parsing): void {
  const refuse = (message: string, nearMiss?: string) => {
    parsing.faults.push({ offset, message, ...(nearMiss === undefined ? {} : { nearMiss }) })
  }
  const shown = JSON.stringify(source.slice(0, 100))
  if (source.length > MAX_EXPRESSION || !isExpression(source)) {
    return refuse(`${shown} must be a path such as order.items.0.name, with filters such as | default: "none"`)
  }
  const value = new liquid.Tokenizer(source).readFilteredValue()
  const path = toOperand(liquid, value.initial.postfix[0])
  if (!('path' in path)) return refuse(`${shown} is a word of the template language and no path`)
  const filters = toFilters(liquid, value)
  for (const { name, args } of filters) {
    const filter = TEMPLATE_FILTERS.get(name)
    if (filter === undefined) refuse(`there is no filter "${name.slice(0, 100)}"`, nearest(name, TEMPLATE_FILTERS.keys())[0])
    else if (args.length < filter.takes[0] || args.length > filter.takes[1]) {
      refuse(`the filter "${name}" takes ${[...new Set(filter.takes)].join(' to ')} arguments`)
    }
  }
  const operands = [path, ...filters.flatMap(({ args }) => args)]
  parsing.references.push(...operands.flatMap((operand) => ('path' in operand ? [{ path: operand.path, offset }] : [])))
  parsing.parts.push({ path: path.path, filters })
}

/** All that may stand between the braces. The parser accepts more, and drops without a word what it does not understand. */
function isExpression(source: string): boolean {
  // Made when it is first needed: the classes of letters take some milliseconds.
  expression ??= new RegExp(`^${PATH}(?:${FILTER})*$`, 'su')
  return expression.test(source)
}

function toFilters(liquid: Liquid, value: FilteredValueToken): Expression['filters'] {
  return value.filters.map(({ name, args }) => ({ name, args: args.map((arg) => toOperand(liquid, arg)) }))
}

function toOperand({ TypeGuards, evalQuotedToken }: Liquid, token: unknown): Operand {
  if (TypeGuards.isPropertyAccessToken(token)) return { path: token.props.map((part) => part.getText()) }
  if (TypeGuards.isQuotedToken(token)) return { literal: evalQuotedToken(token) }
  if (TypeGuards.isNumberToken(token)) return { literal: token.content }
  return { literal: TypeGuards.isLiteralToken(token) && typeof token.content === 'boolean' ? token.content : null }
}

function toTemplate(parts: readonly (string | Expression)[], references: readonly TemplateReference[]): Template {
  return {
    references,
    render: (values) => {
      const lookup = createLookup()
      let rendered = ''
      for (const part of parts) {
        rendered += typeof part === 'string' ? part : toText(evaluate(part, values, lookup))
        if (rendered.length > MAX_RENDERED)
          throw new HoldfastError('value_too_large', `A rendered template may have at most ${MAX_RENDERED} characters.`)
      }
      return rendered
    }
  }
}

function evaluate({ path, filters }: Expression, values: TemplateValues, lookup: Lookup): FilterValue {
  let value: FilterValue = lookup(values, path)
  for (const { name, args } of filters) {
    const given = args.map((arg) => ('path' in arg ? lookup(values, arg.path) : arg.literal))
    value = TEMPLATE_FILTERS.get(name)?.apply(value, given)
  }
  return value
}
