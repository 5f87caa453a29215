import { z } from 'zod'
import type { Json } from '../contracts/json.ts'
import type { Budget } from '../contracts/budget.ts'
import { findBudgetFault } from '../contracts/budget.ts'
import type { Labels } from '../contracts/labels.ts'
import { findLabelFault } from '../contracts/labels.ts'
import type { Usage } from '../contracts/usage.ts'

// Shapes of an export's records are strict: a field that this program does not know is not folded (I20).

/** A strict shape of all fields of a type: one that is forgotten does not compile. */
export function shapeOf<Value>() {
  return <Fields extends { readonly [Field in keyof Value]-?: z.ZodType }>(fields: Fields) => z.strictObject(fields)
}

/** Any text. */
export const text = z.string()
/** A whole number from 0 on. */
export const count = z.int().nonnegative()
/** A point in time that every clock can show. */
export const time = z.int().nonnegative().max(8.64e15)
/** `sha256:` and 64 hexadecimal digits. */
export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hexadecimal digits')
/** Anything that was read as JSON. */
export const json = z.custom<Json>((value) => value !== undefined, 'expected a value')
/** An object of JSON. */
export const data = z.record(z.string(), json)
/** Labels, within the bounds of a start. */
export const labels = z.custom<Labels>((value) => findLabelFault(value) === null, 'expected labels')
/** Who does something. */
export const principal = z.strictObject({ kind: z.enum(['person', 'host', 'agent', 'runtime']), id: text })
/** An error as data. */
export const fault = z.strictObject({ code: text, message: text })
/** An amount, or that it is not known. */
export const cost = z.union([z.number(), z.literal('unknown')])
/** Tokens. */
export const usage = shapeOf<Usage>()({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().exactOptional(),
  cacheWriteTokens: z.number().exactOptional(),
  cacheWriteHourTokens: z.number().exactOptional(),
  reasoningTokens: z.number().exactOptional(),
  estimated: z.boolean().exactOptional()
})
/** What a tool does to the world outside. */
export const effect = z.enum(['read', 'idempotent', 'once'])
/** What a thread may spend. */
export const budget = z.custom<Budget>((value) => findBudgetFault(value, 'budget') === null, 'expected a budget')
/** What a call gave. */
export const callResult = z.union([z.strictObject({ value: json }), z.strictObject({ error: text })])

/** A body, inline or as an artifact. */
export function body<Inline extends z.ZodType>(inline: Inline) {
  return z.union([z.strictObject({ inline }), z.strictObject({ artifact: digest, bytes: count, preview: text })])
}

const metadata = z.record(z.string(), data).exactOptional()
const source = z.union([
  z.strictObject({ data: text }),
  z.strictObject({ url: z.url() }),
  z.strictObject({ reference: z.record(z.string(), text) }),
  z.strictObject({ text })
])
/** What is remembered of an approval. */
export const approvalRule = z.strictObject({
  tool: text,
  asks: z.array(text),
  arguments: digest.exactOptional(),
  needed: count.exactOptional()
})

/** One part of a message. */
export const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text, metadata }),
  z.strictObject({ type: z.literal('reasoning'), text, metadata }),
  z.strictObject({ type: z.literal('reasoning-file'), mediaType: text, source, metadata }),
  z.strictObject({ type: z.literal('file'), mediaType: text, filename: text.exactOptional(), source, metadata }),
  z.strictObject({
    type: z.literal('tool-call'),
    id: text,
    tool: text,
    input: text,
    providerExecuted: z.boolean().exactOptional(),
    metadata
  }),
  z.strictObject({ type: z.literal('tool-result'), id: text, tool: text, result: json, isError: z.boolean().exactOptional(), metadata }),
  z.strictObject({ type: z.literal('source'), source: data, metadata }),
  z.strictObject({ type: z.literal('custom'), kind: text, metadata })
])
