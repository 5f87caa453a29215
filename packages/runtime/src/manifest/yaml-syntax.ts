import type { CST, Document, ParsedNode } from 'yaml'
import type { DocumentFault } from './document-fault.ts'
import { DOCUMENT_BOUNDS } from './document-fault.ts'
import { loadYaml } from './libraries.ts'
import type { ProblemCode } from './problem.ts'

/** The node tree of a text, or what keeps it from having one. */
export interface YamlSyntax {
  readonly root: ParsedNode | null
  readonly faults: readonly DocumentFault[]
}

type Yaml = Awaited<ReturnType<typeof loadYaml>>

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  stringKeys: true,
  intAsBigInt: true,
  merge: false,
  logLevel: 'silent',
  prettyErrors: false
} as const

/**
 * Reads a text as one YAML 1.2 document. It is measured twice before its tree is built: as lexemes, which takes no memory, and as tokens, which are not
 * nested for the stack. What is too deep or too large gets no further.
 */
export async function readYamlSyntax(text: string): Promise<YamlSyntax> {
  const yaml = await loadYaml()
  const long = findLexemeExcess(yaml, text)
  if (long !== undefined) return { root: null, faults: [long] }
  const tokens = [...new yaml.Parser().parse(text)]
  const excess = findTokenExcess(yaml, tokens)
  const faults = excess === undefined ? findTokenFaults(yaml, tokens) : [excess]
  if (faults.length > 0) return { root: null, faults }
  const document = compose(yaml, tokens, text.length)
  return { root: document?.contents ?? null, faults: document === undefined ? [] : toFaults(document, findUnclosed(yaml, tokens)) }
}

function findLexemeExcess(yaml: Yaml, text: string): DocumentFault | undefined {
  let offset = 0
  let count = 0
  let depth = 0
  for (const lexeme of new yaml.Lexer().lex(text)) {
    count += 1
    depth += NESTING.get(lexeme) ?? 0
    if (depth > DOCUMENT_BOUNDS.depth) return tooDeep(offset)
    if (count > DOCUMENT_BOUNDS.lexemes) return tooLarge(offset)
    if (!isMark(lexeme)) offset += lexeme.length
  }
  return undefined
}

const NESTING = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1]
])

/** Marks of the lexer stand for no text of the source. */
function isMark(lexeme: string): boolean {
  return lexeme === '\u0002' || lexeme === '\u0018' || lexeme === '\u001f'
}

function findTokenExcess(yaml: Yaml, tokens: readonly CST.Token[]): DocumentFault | undefined {
  let nodes = 0
  for (const { token, depth } of walkTokens(yaml, tokens)) {
    if (!yaml.CST.isCollection(token)) continue
    nodes += token.items.length
    if (depth > DOCUMENT_BOUNDS.depth) return tooDeep(token.offset)
    if (nodes > DOCUMENT_BOUNDS.nodes) return tooLarge(token.offset)
  }
  return undefined
}

function findTokenFaults(yaml: Yaml, tokens: readonly CST.Token[]): readonly DocumentFault[] {
  const faults: DocumentFault[] = []
  const report = (code: ProblemCode, offset: number, message: string, expected?: string) => {
    faults.push({ code, offset, path: [], message, ...(expected === undefined ? {} : { expected }) })
  }
  const second = tokens.filter((token) => token.type === 'document')[1]
  if (second !== undefined) report('multiple_documents', second.offset, 'a second document begins here', 'one document in a file')
  for (const { token } of walkTokens(yaml, tokens)) {
    if (token.type === 'directive' && !/^%YAML\s+1\.2\s*$/.test(token.source)) {
      report('directive', token.offset, 'directives are not supported', 'nothing, or %YAML 1.2')
    }
    if (token.type === 'tag')
      report('tag', token.offset, 'tags are not supported', 'a plain value; text that looks like something else in quotes')
  }
  return faults
}

interface Placed {
  readonly token: CST.Token
  readonly depth: number
}

/** Every token of the tree, with how many collections are around it and itself. Not recursive. */
function* walkTokens(yaml: Yaml, tokens: readonly CST.Token[]): Generator<Placed> {
  const stack: Placed[] = tokens.map((token) => ({ token, depth: 0 })).reverse()
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { token } = top
    const inside = yaml.CST.isCollection(token)
    const depth = inside ? top.depth + 1 : top.depth
    yield { token, depth }
    const children = token.type === 'document' ? childrenOf(token) : inside ? token.items.flatMap(childrenOf) : []
    for (const child of children.reverse()) stack.push({ token: child, depth })
  }
}

function childrenOf(item: CST.Document | CST.CollectionItem): CST.Token[] {
  const children: CST.Token[] = [...item.start]
  if ('key' in item && item.key) children.push(item.key)
  if ('sep' in item && item.sep) children.push(...item.sep)
  if (item.value) children.push(item.value)
  return children
}

function compose(yaml: Yaml, tokens: readonly CST.Token[], length: number): Document.Parsed | undefined {
  for (const document of new yaml.Composer(OPTIONS).compose(tokens, true, length)) return document as Document.Parsed
  return undefined
}

/** What is opened and not closed, where it is opened. */
interface Unclosed {
  readonly offset: number
  readonly opening: string
  readonly wanted: string
  /** Behind it, as far as it was read. */
  readonly end: number
}

const CLOSING = new Map([
  ['[', ']'],
  ['{', '}']
])

/** Texts in quotes are among them whether they end or not: which do not is told by the place of the error. */
function findUnclosed(
  yaml: Yaml,
  tokens: readonly CST.Token[]
): { readonly brackets: readonly Unclosed[]; readonly texts: readonly Unclosed[] } {
  const [open, mixed, texts]: [Unclosed[], Unclosed[], Unclosed[]] = [[], [], []]
  for (const { token } of walkTokens(yaml, tokens)) {
    if (token.type === 'flow-collection') {
      const { source: opening, offset } = token.start
      const wanted = CLOSING.get(opening) ?? ''
      const [end] = token.end
      const found = { offset, opening, wanted, end: offset }
      if (end === undefined) open.push(found)
      else if (end.source !== wanted) mixed.push(found)
    } else if (token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar') {
      const [quote = ''] = token.source
      texts.push({ offset: token.offset, opening: quote, wanted: quote, end: token.offset + token.source.length })
    }
  }
  // Where one is closed by another's mark, those around it are open only for that.
  return { brackets: mixed.length > 0 ? mixed : open, texts }
}

function toFaults(document: Document.Parsed, { brackets, texts }: ReturnType<typeof findUnclosed>): readonly DocumentFault[] {
  const told = [...document.errors, ...document.warnings]
  const isOfBracket = ({ code, message }: (typeof told)[number]) =>
    brackets.length > 0 && (code === 'BAD_INDENT' || code === 'MISSING_CHAR') && message.startsWith('Flow ')
  const rest = told.filter((error) => !isOfBracket(error))
  const unclosed = rest.length < told.length ? brackets.map(toUnclosedFault) : []
  return [
    ...unclosed,
    ...rest.map(({ code, pos, message }): DocumentFault => {
      const text = code === 'MISSING_CHAR' ? texts.find(({ end }) => end === pos[0]) : undefined
      return text === undefined ? toSyntaxFault(code, pos[0], message) : toUnclosedFault(text)
    })
  ]
}

function toUnclosedFault({ offset, opening, wanted }: Unclosed): DocumentFault {
  return { code: 'syntax', offset, path: [], message: `this ${opening} is not closed`, expected: `a ${wanted} where it ends` }
}

function toSyntaxFault(code: string, offset: number, message: string): DocumentFault {
  if (code === 'TAB_AS_INDENT') return { code: 'tab_indent', offset, path: [], message: 'a tab indents this line', expected: 'spaces' }
  if (code === 'NON_STRING_KEY') return { code: 'syntax', offset, path: [], message: 'this key is no text', expected: 'a text as key' }
  return { code: 'syntax', offset, path: [], message: message.replace(/\.$/, '') }
}

function tooDeep(offset: number): DocumentFault {
  return {
    code: 'too_deep',
    offset,
    path: [],
    message: 'the document is nested too deeply',
    expected: `at most ${DOCUMENT_BOUNDS.depth} levels`
  }
}

function tooLarge(offset: number): DocumentFault {
  return { code: 'too_large', offset, path: [], message: 'the document is too large', expected: `at most ${DOCUMENT_BOUNDS.nodes} nodes` }
}
