import { z } from 'zod'
import { definition } from './definition-shape.ts'
import { EXPORT_FORMAT } from './export-lines.ts'
import { count, digest, json, principal, text, time } from './value-shapes.ts'

// This file is loaded when it is first used: zod is heavy.

/** A thread's id becomes part of paths and of the ids of its waits: nothing else passes. */
const threadId = z.string().regex(/^thr_[0-9A-Za-z_-]{1,64}$/, 'expected thr_ and up to 64 letters and digits')

const header = z.strictObject({
  type: z.literal('thread'),
  format: z.literal(EXPORT_FORMAT),
  id: threadId,
  key: text.exactOptional(),
  root: threadId,
  path: text,
  attempt: count,
  /** How many commits and items follow. */
  head: z.int().positive(),
  items: z.int().positive()
})

const publication = z.strictObject({ type: z.literal('publication'), digest, definition })

const artifact = z.strictObject({ type: z.literal('artifact'), digest, bytes: count, data: text })

const commit = z.strictObject({
  type: z.literal('commit'),
  sequence: z.int().positive(),
  attempt: count,
  at: time,
  worker: text,
  format: z.int().positive(),
  digest,
  /** Judged one by one: the shape of a fact hangs on its type. */
  facts: z.array(z.unknown())
})

const item = {
  type: z.literal('item'),
  id: z.string().min(1),
  kind: z.enum([
    'start',
    'message',
    'interrupt',
    'cancel',
    'decision',
    'event',
    'report',
    'watch',
    'unwatch',
    'alert',
    'budget',
    'migrate'
  ]),
  from: principal,
  at: time,
  scope: text.exactOptional(),
  digest
}
const items = z.discriminatedUnion('state', [
  z.strictObject({ ...item, state: z.enum(['fresh', 'deferred']), body: json }),
  z.strictObject({ ...item, state: z.literal('consumed'), takenIn: z.int().positive() })
])

/** The records of an export, by their place in it: one header, one publication, commits with the artifacts that they are the first to name, items. */
export const RECORD_SHAPES = { thread: header, publication, artifact, commit, item: items } as const

/** What the record of one kind holds. */
export type RecordOf<Kind extends keyof typeof RECORD_SHAPES> = z.infer<(typeof RECORD_SHAPES)[Kind]>
