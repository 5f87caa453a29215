import type { Fact, FactOf } from './fact.ts'
import type { Digest } from './ids.ts'
import type { Body } from './message.ts'

type Spilled = Extract<Body, { readonly artifact: Digest }>
type HasBody<Value> = Extract<Value, Spilled> extends never ? false : true
type BodyFields<T extends Fact['type']> = {
  readonly [Field in keyof FactOf<T> as HasBody<FactOf<T>[Field]> extends true ? Field : never]-?: 'body'
}
type Table = { readonly [T in Fact['type'] as keyof BodyFields<T> extends never ? never : T]: BodyFields<T> }

/** Where facts have bodies: one that is forgotten does not compile. `variables.set` has one for each of its values. */
const FIELDS: Table = {
  'run.ended': { output: 'body' },
  'message.received': { parts: 'body', seen: 'body' },
  'message.admitted': { seen: 'body' },
  'message.returned': { parts: 'body' },
  'prompts.injected': { prompts: 'body' },
  'model.responded': { parts: 'body' },
  'call.gated': { arguments: 'body' },
  'call.suspended': { state: 'body', subject: 'body' },
  'call.reconciled': { result: 'body' },
  'call.settled': { result: 'body' },
  'wait.opened': { subject: 'body' },
  'step.started': { inputs: 'body', items: 'body' },
  'step.settled': { output: 'body' },
  'state.set': { value: 'body' },
  'context.rewritten': { view: 'body' },
  'hook.recorded': { overlay: 'body' },
  'call.reviewed': { seen: 'body' },
  'turn.prepared': { context: 'body' },
  'turn.reviewed': { seen: 'body' }
}

const PLACES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FIELDS).map(([type, fields]) => [type, Object.keys(fields)] as const)
)

const NONE: readonly never[] = []

/** The bodies of a fact, inline ones and artifacts. */
export function bodiesOf(fact: Fact): readonly Body[] {
  if (fact.type === 'variables.set') return Object.values(fact.values)
  const fields = PLACES.get(fact.type)
  return fields === undefined ? [] : fields.flatMap((field) => bodyIn(fact, field) ?? [])
}

/** The artifacts that facts name, each once, in the order in which they are named. */
export function artifactsOf(facts: readonly Fact[]): readonly Digest[] {
  const digests = facts.flatMap((fact) => bodiesOf(fact).flatMap((body) => ('artifact' in body ? [body.artifact] : [])))
  return digests.length < 2 ? digests : [...new Set(digests)]
}

/** Whether a body of these facts is such a one. Makes nothing: it is asked for every commit. */
export function hasBody(facts: readonly Fact[], isSuch: (body: Body) => boolean): boolean {
  for (const fact of facts) {
    if (fact.type === 'variables.set') {
      if (bodiesOf(fact).some(isSuch)) return true
      continue
    }
    for (const field of PLACES.get(fact.type) ?? NONE) {
      const body = bodyIn(fact, field)
      if (body !== undefined && isSuch(body)) return true
    }
  }
  return false
}

/** The fact with other bodies in place of its own; the fact itself when none is replaced. */
export function replaceBodies(fact: Fact, bodies: ReadonlyMap<Body, Body>): Fact {
  if (!bodiesOf(fact).some((body) => bodies.has(body))) return fact
  if (fact.type === 'variables.set') {
    const values = Object.entries(fact.values).map(([key, body]) => [key, bodies.get(body) ?? body])
    return { ...fact, values: Object.fromEntries(values) }
  }
  // In its place: the order of fields is part of a commit's digest.
  const replaced = Object.entries(fact).map(([field, value]) => [field, bodies.get(value as Body) ?? value])
  return Object.fromEntries(replaced) as Fact
}

function bodyIn(fact: Fact, field: string): Body | undefined {
  return ((fact as { readonly [field: string]: unknown })[field] as Body | null | undefined) ?? undefined
}
