import { Buffer } from 'node:buffer'
import type { JsonObject } from '../contracts/json.ts'

/** What a user's JSON Schema may be at most, so that compiling it stays cheap. */
export const SCHEMA_BOUNDS = { depth: 64, nodes: 2_000, bytes: 65_536 } as const

/** What a schema would have to be instead when it is too large to be compiled; undefined when it is within the bounds. */
export function findSchemaExcess(schema: JsonObject): string | undefined {
  const { depth, nodes, bytes } = SCHEMA_BOUNDS
  let level: unknown[] = [schema]
  let seen = 0
  for (let deep = 1; level.length > 0; deep += 1) {
    seen += level.length
    if (deep > depth) return `a JSON Schema of at most ${depth} levels`
    if (seen > nodes) return `a JSON Schema of at most ${nodes} nodes`
    level = level.flatMap(childrenOf)
  }
  return Buffer.byteLength(JSON.stringify(schema)) > bytes ? `a JSON Schema of at most ${bytes} bytes` : undefined
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}
