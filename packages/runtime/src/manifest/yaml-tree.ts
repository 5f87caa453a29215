import type { Alias, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import type { Json } from '../contracts/json.ts'
import type { DocumentFault } from './document-fault.ts'
import { DOCUMENT_BOUNDS, RESERVED_KEYS } from './document-fault.ts'
import { loadYaml } from './libraries.ts'

/** The value of a node tree, what is wrong with it, and which node each alias stands for. */
export interface YamlTree {
  readonly value: Json
  readonly faults: readonly DocumentFault[]
  readonly targets: ReadonlyMap<Alias, ParsedNode>
}

type Yaml = Awaited<ReturnType<typeof loadYaml>>

/** A value and what it costs to write it out, aliases included. */
interface Measured {
  readonly value: Json
  readonly nodes: number
  readonly length: number
  readonly depth: number
}

interface Reading {
  readonly yaml: Yaml
  readonly faults: DocumentFault[]
  readonly targets: Map<Alias, ParsedNode>
  /** What each anchor stands for now; `open` while its own node is being read. */
  readonly anchors: Map<string, { readonly node: ParsedNode; readonly measured: Measured } | 'open'>
  /** Where the reader is. */
  readonly path: (string | number)[]
  nodes: number
  length: number
}

const NOTHING: Measured = { value: null, nodes: 1, length: 0, depth: 0 }

/** Turns a node tree into a JSON value. Aliases share the value of their anchor and are counted as if they were written out. */
export async function readYamlTree(root: ParsedNode | null): Promise<YamlTree> {
  const reading: Reading = { yaml: await loadYaml(), faults: [], targets: new Map(), anchors: new Map(), path: [], nodes: 0, length: 0 }
  const { value } = readNode(reading, root)
  return { value, faults: reading.faults, targets: reading.targets }
}

function readNode(reading: Reading, node: ParsedNode | null): Measured {
  if (node === null) return NOTHING
  if (reading.yaml.isAlias(node)) return readAlias(reading, node)
  const { anchor } = node
  if (anchor !== undefined) reading.anchors.set(anchor, 'open')
  reading.nodes += 1
  const measured = readPlain(reading, node)
  if (anchor !== undefined) reading.anchors.set(anchor, { node, measured })
  return measured
}

function readPlain(reading: Reading, node: Exclude<ParsedNode, Alias>): Measured {
  if (reading.yaml.isMap(node)) return readMap(reading, node)
  if (reading.yaml.isSeq(node)) return readSequence(reading, node)
  return readScalar(reading, node)
}

function readAlias(reading: Reading, alias: Alias.Parsed): Measured {
  const offset = alias.range[0]
  const anchor = reading.anchors.get(alias.source)
  if (anchor === undefined) return refuse(reading, 'alias_unknown', offset, `nothing is named "&${alias.source}" before this place`)
  if (anchor === 'open') return refuse(reading, 'alias_cycle', offset, `"*${alias.source}" stands inside the node that it names`)
  reading.targets.set(alias, anchor.node)
  const { nodes, length, depth } = anchor.measured
  reading.nodes += nodes
  reading.length += length
  if (isExceeded(reading)) return refuse(reading, 'too_large', offset, 'the document is too large when its aliases are written out')
  if (reading.path.length + depth > DOCUMENT_BOUNDS.depth)
    return refuse(reading, 'too_deep', offset, 'the document is nested too deeply here')
  return anchor.measured
}

function readMap(reading: Reading, map: YAMLMap.Parsed): Measured {
  const object: { [key: string]: Json } = {}
  const total = { nodes: 1, length: 0, depth: 0 }
  const seen = new Map<string, number>()
  for (const pair of map.items) {
    if (isExceeded(reading)) break
    const key = readKey(reading, pair.key, seen)
    if (key === undefined) continue
    reading.path.push(key)
    object[key] = add(total, readNode(reading, pair.value), key.length)
    reading.path.pop()
  }
  return { value: object, ...total, depth: total.depth + 1 }
}

/** The key, when it may stand: a second one of the same name, a reserved one and the like are told and left out. */
function readKey(reading: Reading, node: ParsedNode, seen: Map<string, number>): string | undefined {
  const offset = node.range[0]
  if (!reading.yaml.isScalar(node) || typeof node.value !== 'string') return undefined
  const key = node.value
  const first = seen.get(key)
  reading.path.push(key)
  if (first !== undefined) refuse(reading, 'duplicate', offset, `the key ${quote(key)} stands here a second time`, first)
  else if (RESERVED_KEYS.has(key)) refuse(reading, 'reserved_key', offset, `the key ${quote(key)} is reserved`)
  else if (!key.isWellFormed()) refuse(reading, 'text_ill_formed', offset, 'the key holds half of a surrogate pair')
  else if (node.type === 'PLAIN' && key === '<<') refuse(reading, 'merge_key', offset, 'merge keys are not supported; write the fields out')
  else if (node.type === 'PLAIN' && key === '') refuse(reading, 'missing_key', offset, 'there is no key before the colon')
  else {
    seen.set(key, offset)
    reading.length += key.length
    reading.path.pop()
    return key
  }
  reading.path.pop()
  return undefined
}

function readSequence(reading: Reading, sequence: YAMLSeq.Parsed): Measured {
  const list: Json[] = []
  const total = { nodes: 1, length: 0, depth: 0 }
  for (const [index, item] of sequence.items.entries()) {
    if (isExceeded(reading)) break
    reading.path.push(index)
    list.push(add(total, readNode(reading, item)))
    reading.path.pop()
  }
  return { value: list, ...total, depth: total.depth + 1 }
}

function add(total: { nodes: number; length: number; depth: number }, part: Measured, keyLength = 0): Json {
  total.nodes += part.nodes
  total.length += part.length + keyLength
  total.depth = Math.max(total.depth, part.depth)
  return part.value
}

function readScalar(reading: Reading, scalar: Scalar.Parsed): Measured {
  const { value } = scalar
  const offset = scalar.range[0]
  switch (typeof value) {
    case 'string':
      reading.length += value.length
      if (!value.isWellFormed()) return refuse(reading, 'text_ill_formed', offset, 'the text holds half of a surrogate pair')
      return { ...NOTHING, value, length: value.length }
    case 'bigint':
      if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) {
        return refuse(reading, 'number_unsafe', offset, 'the number is too large to be kept exactly; write it in quotes')
      }
      return { ...NOTHING, value: Number(value) }
    case 'number':
      if (!Number.isFinite(value)) return refuse(reading, 'number_infinite', offset, 'the number is not finite')
      return { ...NOTHING, value: value === 0 ? 0 : value }
    case 'boolean':
      return { ...NOTHING, value }
    default:
      return NOTHING
  }
}

function isExceeded(reading: Reading): boolean {
  return reading.nodes > DOCUMENT_BOUNDS.nodes || reading.length > DOCUMENT_BOUNDS.length
}

function refuse(reading: Reading, code: DocumentFault['code'], offset: number, message: string, related?: number): Measured {
  reading.faults.push({ code, offset, path: [...reading.path], message, ...(related === undefined ? {} : { related }) })
  return NOTHING
}

function quote(key: string): string {
  return JSON.stringify(key.slice(0, 100))
}
