import { z } from 'zod'
import type { Fact, FactOf, WaitKind } from '../contracts/fact.ts'
import {
  approvalRule,
  body,
  budget,
  callResult,
  cost,
  count,
  data,
  digest,
  effect,
  fault,
  json,
  labels,
  part,
  principal,
  text,
  usage
} from './value-shapes.ts'

type Envelope = 'v' | 'run' | 'scope' | 'cause' | 'type'
/** Every field of a fact of one type: one that is forgotten here does not compile. */
type Fields<T extends Fact['type']> = { readonly [Field in Exclude<keyof FactOf<T>, Envelope>]-?: z.ZodType }
type Table = { readonly [T in Fact['type']]: Fields<T> }

const WAIT_KINDS = [
  ...(['approval', 'question', 'agent', 'monitor', 'timer', 'budget'] as const),
  ...(['event', 'external', 'outcome', 'quarantine', 'missing'] as const)
] as const satisfies readonly WaitKind[]

const calls = {
  'call.gated': {
    call: text,
    verdict: z.enum(['run', 'block', 'respond', 'hold']),
    by: text,
    asks: z.array(text),
    arguments: body(json),
    // A fault has none: nothing was judged.
    digest: z.union([digest, z.literal('')]),
    result: callResult.exactOptional(),
    expiresAfterMs: count.exactOptional(),
    needed: count.exactOptional()
  },
  'call.started': { call: text, try: count, leg: count, effect, deadlineMs: count },
  'call.suspended': {
    call: text,
    leg: count,
    wait: text,
    kind: z.enum(WAIT_KINDS),
    state: body(json),
    subject: body(json),
    expiresAfterMs: count.exactOptional()
  },
  'call.reconciled': {
    call: text,
    try: count,
    leg: count,
    said: z.enum(['done', 'not_done', 'unknown', 'failed']),
    final: z.boolean(),
    result: body(callResult).exactOptional(),
    review: z.literal(true).exactOptional(),
    error: text.exactOptional()
  },
  'call.reviewed': { call: text, seen: body(callResult).exactOptional() },
  'call.settled': {
    call: text,
    outcome: z.enum(['ok', 'error', 'denied', 'blocked', 'cancelled', 'timeout', 'unknown', 'expired']),
    result: body(callResult),
    review: z.literal(true).exactOptional(),
    cost: z.number().exactOptional(),
    copied: z.literal(true).exactOptional()
  },
  'wait.opened': {
    wait: text,
    kind: z.enum(WAIT_KINDS),
    call: text.exactOptional(),
    asks: z.array(text).exactOptional(),
    subject: body(json),
    expiresAfterMs: count.exactOptional(),
    needed: count.exactOptional(),
    targets: z.array(text).exactOptional()
  },
  'wait.resolved': {
    wait: text,
    as: z.enum(['decided', 'expired', 'cancelled', 'reported']),
    decision: json.exactOptional(),
    by: principal.exactOptional()
  },
  'approval.remembered': { rule: approvalRule, for: z.enum(['run', 'thread']) }
} satisfies Partial<Table>

const injected = z.strictObject({
  role: z.literal('system').exactOptional(),
  text: text.exactOptional(),
  calls: z.array(z.strictObject({ tool: text, input: text })).exactOptional()
})

const outputCheck = z.union([z.strictObject({ ok: z.literal(true), value: json }), z.strictObject({ ok: z.literal(false), errors: text })])

const turns = {
  'prompts.injected': { turn: text, prompts: body(z.array(injected)) },
  'turn.started': {
    turn: text,
    try: count,
    model: text,
    candidate: count.exactOptional(),
    moved: z.strictObject({ from: text, why: text, withheld: count }).exactOptional(),
    last: z.literal(true).exactOptional(),
    hook: text.exactOptional(),
    reservedTokens: count.exactOptional()
  },
  'model.responded': {
    turn: text,
    parts: body(z.array(part)),
    finish: text,
    usage,
    cost,
    model: text,
    output: outputCheck.exactOptional(),
    review: z.literal(true).exactOptional()
  },
  'turn.prepared': {
    turn: text,
    context: body(z.array(z.strictObject({ hook: text, text }))).exactOptional(),
    error: fault.exactOptional()
  },
  'turn.reviewed': {
    turn: text,
    seen: body(z.array(part)).exactOptional(),
    output: outputCheck.exactOptional(),
    asks: z.array(z.strictObject({ hook: text, expiresInMs: count.exactOptional(), quorum: count.exactOptional() })).exactOptional(),
    withheld: z.literal(true).exactOptional(),
    error: fault.exactOptional()
  },
  'model.failed': {
    turn: text,
    try: count,
    why: z.enum(['lost', 'aborted', 'interrupted', 'transient', 'permanent', 'blocked']),
    usage: usage.exactOptional(),
    cost: cost.exactOptional(),
    error: fault.exactOptional(),
    retryAfterMs: z.number().nonnegative().exactOptional()
  },
  'context.rewritten': { strategy: text, from: count, to: count, view: body(json), cost }
} satisfies Partial<Table>

const runs = {
  'run.started': { publication: digest, mode: z.enum(['sequential', 'parallel']), by: principal, trace: text.exactOptional() },
  'run.cancelRequested': { reason: text, graceMs: count },
  'run.ended': {
    status: z.enum(['completed', 'failed', 'cancelled', 'stopped']),
    why: text.exactOptional(),
    error: fault.exactOptional(),
    output: body(json).exactOptional()
  },
  'message.received': {
    source: principal,
    parts: body(z.array(part)),
    seen: body(z.array(part)).exactOptional(),
    injected: z.boolean().exactOptional(),
    interrupts: text.exactOptional()
  },
  'message.returned': {
    item: text,
    why: z.enum(['cancelled', 'blocked', 'no_conversation', 'ambiguous']),
    source: principal.exactOptional(),
    parts: body(z.array(part)).exactOptional()
  },
  'message.admitted': { item: text, seen: body(z.array(part)).exactOptional(), error: fault.exactOptional() },
  'item.discarded': { item: text, why: z.enum(['closed', 'stale', 'no_run']) },
  'variables.set': { values: z.record(z.string(), body(json)) },
  'state.set': { owner: text, key: text, value: z.union([body(json), z.null()]), call: text.exactOptional() },
  'step.started': { when: z.boolean(), inputs: body(json).exactOptional(), items: body(json).exactOptional() },
  'step.settled': { status: z.enum(['completed', 'skipped', 'failed', 'unknown']), output: body(json).exactOptional() },
  'hook.recorded': {
    hook: text,
    on: text,
    did: z.enum(['modify', 'block', 'respond', 'requireApproval', 'failed']),
    call: text.exactOptional(),
    turn: text.exactOptional(),
    item: text.exactOptional(),
    overlay: body(json).exactOptional()
  },
  'budget.set': { limit: budget, by: principal }
} satisfies Partial<Table>

const threads = {
  'thread.created': {
    publication: digest,
    grants: json,
    rules: z.array(digest),
    root: text,
    parent: z.strictObject({ thread: text, call: text }).exactOptional(),
    depth: count,
    labels: labels.exactOptional()
  },
  'thread.repinned': { publication: digest, by: z.enum(['handoff', 'migrate', 'fork']), grants: json.exactOptional() },
  'thread.forked': {
    from: text,
    at: z.int().positive(),
    results: z.array(z.strictObject({ call: text, result: callResult })).exactOptional(),
    ran: z.array(text).exactOptional(),
    request: digest.exactOptional()
  },
  'thread.moved': { to: text },
  'attempt.claimed': { worker: text, why: z.enum(['items', 'timer', 'expired', 'takeover']) },
  'agent.spawned': { child: text, call: text, reserved: json.exactOptional() },
  'agent.reported': {
    child: text,
    status: text,
    used: json,
    returned: json.exactOptional(),
    extended: json.exactOptional()
  },
  'watch.added': { watch: text, watcher: text, when: json },
  'watch.fired': { watch: text, condition: text },
  'monitor.armed': { watch: text, target: text, when: json },
  'monitor.fired': { watch: text, alert: json }
} satisfies Partial<Table>

const TABLE: Table = { ...threads, ...runs, ...turns, ...calls }

const SHAPES: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(TABLE).map(([type, fields]) => [
    type,
    z.strictObject({
      v: z.int().positive(),
      type: z.literal(type),
      run: text.exactOptional(),
      scope: text.exactOptional(),
      cause: text.exactOptional(),
      ...fields
    })
  ])
)

/** What is wrong with a fact of a log that comes from outside, or null. A type that is not known is wrong. */
export function findFactIssue(value: unknown): z.core.$ZodIssue | null {
  const type = data.safeParse(value).data?.['type']
  const shape = typeof type === 'string' ? SHAPES.get(type) : undefined
  if (shape !== undefined) return shape.safeParse(value).error?.issues[0] ?? null
  return { code: 'custom', message: `the fact ${JSON.stringify(type)} is not known`, path: ['type'], input: value }
}
