import type { Alias, Pair, ParsedNode, YAMLMap } from 'yaml'
import { loadYaml } from './libraries.ts'
import type { Path } from './problem.ts'

/** Where the values of a document stand in its text, as offsets. */
export interface YamlPlaces {
  /** Of the value, or of the nearest thing around it that there is. */
  valueAt(path: Path): number
  /** Of the key that names the value, or of what stands around it. */
  keyAt(path: Path): number
  /** The text of a plain scalar as it was written: `1.10`, not 1.1. Undefined for everything else. */
  sourceAt(path: Path): string | undefined
}

interface Found {
  readonly node: ParsedNode | null
  readonly key: number
  readonly value: number
}

/** Finds places in a node tree. Large mappings are indexed when they are first looked into. */
export async function createYamlPlaces(root: ParsedNode | null, targets: ReadonlyMap<Alias, ParsedNode>): Promise<YamlPlaces> {
  const { isAlias, isMap, isScalar, isSeq } = await loadYaml()
  const indexes = new WeakMap<YAMLMap.Parsed, Map<unknown, Pair<ParsedNode, ParsedNode | null>>>()

  const resolve = (node: ParsedNode | null): ParsedNode | null => (isAlias(node) ? (targets.get(node) ?? null) : node)
  const pairOf = (map: YAMLMap.Parsed, key: string | number) => {
    const index = indexes.get(map) ?? toIndex(map)
    indexes.set(map, index)
    return index.get(key)
  }
  const toIndex = (map: YAMLMap.Parsed) => {
    const index = new Map<unknown, Pair<ParsedNode, ParsedNode | null>>()
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? pair.key.value : undefined
      if (!index.has(key)) index.set(key, pair)
    }
    return index
  }
  const step = (around: ParsedNode | null, part: string | number): Found | undefined => {
    const node = resolve(around)
    if (isMap(node)) {
      const pair = pairOf(node, part)
      return pair && { node: pair.value, key: pair.key.range[0], value: pair.value?.range[0] ?? pair.key.range[0] }
    }
    const item = isSeq(node) && typeof part === 'number' ? node.items[part] : undefined
    return item && { node: item, key: item.range[0], value: item.range[0] }
  }
  const find = (path: Path): Found => {
    const start = root?.range[0] ?? 0
    let found: Found = { node: root, key: start, value: start }
    for (const part of path) {
      const next = step(found.node, part)
      if (next === undefined) return { node: null, key: found.value, value: found.value }
      found = next
    }
    return found
  }
  return {
    valueAt: (path) => find(path).value,
    keyAt: (path) => find(path).key,
    sourceAt: (path) => {
      const node = resolve(find(path).node)
      return isScalar(node) && node.type === 'PLAIN' ? node.source : undefined
    }
  }
}
