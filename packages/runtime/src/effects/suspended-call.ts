// Keeps I14: what a suspension keeps and shows stands in the log, so it holds no secret.
import type { FactOf, WaitKind } from '../contracts/fact.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import type { SuspendedWait, Suspension, SuspensionKind } from '../contracts/suspension.ts'
import { proveSchema } from '../manifest/json-schema.ts'
import { inlineOf } from '../state/body.ts'
import type { Call, State } from '../state/state.ts'
import { isDeeplyNested } from '../util/nesting.ts'
import { toWellFormedJson } from '../util/well-formed.ts'
import { isWholeInJson, toResultJson } from './result-json.ts'

/** How often a call may let go of its process. */
export const MAX_LEGS = 100

const MAX_STATE_BYTES = 262_144
const MAX_SUBJECT_BYTES = 65_536
const KINDS: readonly unknown[] = ['external', 'approval', 'question'] satisfies readonly SuspensionKind[]

/** What is recorded of a suspension. */
export type SuspendedFact = Pick<FactOf<'call.suspended'>, 'leg' | 'wait' | 'kind' | 'state' | 'subject' | 'expiresAfterMs'>

/** What a leg leaves behind that has let go. Throws what the model is to read when nobody could be asked. */
export async function toSuspended(
  { wait, state: kept }: Suspension,
  call: Call,
  { thread }: Pick<State, 'thread'>,
  secrets: SecretRegistry
): Promise<SuspendedFact> {
  const leg = call.started?.leg ?? 1
  if (leg >= MAX_LEGS) throw new Error(`The tool was suspended ${MAX_LEGS} times, which is as often as it may be.`)
  const { kind, subject: given, schema, expiresInMs } = (wait ?? {}) as { readonly [field in keyof SuspendedWait]?: unknown }
  if (!isKind(kind)) throw refuse('a wait of the kind external, approval or question')
  if (expiresInMs !== undefined && !(Number.isSafeInteger(expiresInMs) && Number(expiresInMs) > 0)) {
    throw refuse('expiresInMs to be a whole number above 0')
  }
  const state = toJson(JSON.stringify(kept ?? null), 'state', MAX_STATE_BYTES)
  // The next leg would find nothing where this one had a full map.
  if (!isWholeInJson(kept)) throw refuse('a state of plain JSON, without a Map, a Set or NaN')
  // A secret that is left out would be missing in the next leg.
  if (secrets.has(JSON.stringify(state))) throw refuse('a state without secrets: keep a reference to them')
  const asked = secrets.redactJson(toJson(toResultJson(given ?? null), 'wait.subject', MAX_SUBJECT_BYTES))
  if (!isObject(asked)) throw refuse('wait.subject to be an object')
  const answers = await toAnswers(kind, schema)
  return {
    leg,
    wait: `${thread}:${call.id}:${kind}:${call.waits + 1}`,
    kind,
    state: { inline: state },
    subject: { inline: toSubject(kind, asked, call, leg, answers) },
    ...(expiresInMs === undefined ? {} : { expiresAfterMs: Number(expiresInMs) })
  }
}

function refuse(expected: string): Error {
  return new Error(`The tool wanted to be suspended, and this could not be done: expected ${expected}.`)
}

function isKind(kind: unknown): kind is SuspensionKind & WaitKind {
  return KINDS.includes(kind)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toJson(text: string | undefined, name: string, maxBytes: number): Json {
  if (text === undefined || isDeeplyNested(text)) throw refuse(`${name} to be JSON of few levels`)
  if (Buffer.byteLength(text) > maxBytes) throw refuse(`${name} to have at most ${maxBytes} bytes of JSON`)
  return toWellFormedJson(JSON.parse(text) as Json)
}

/** The schema of the answers, which is read by whoever takes one. */
async function toAnswers(kind: SuspensionKind, schema: unknown): Promise<{ readonly schema?: JsonObject }> {
  if (schema === undefined) return {}
  if (kind === 'approval') throw refuse('no schema for an approval')
  const json = toJson(JSON.stringify(schema), 'wait.schema', MAX_SUBJECT_BYTES)
  if (!isObject(json)) throw refuse('wait.schema to be a JSON Schema')
  await proveSchema(json)
  return { schema: json }
}

/** What whoever decides is shown: what the tool says, and of which call it is. */
function toSubject(
  kind: SuspensionKind,
  asked: JsonObject,
  call: Call,
  leg: number,
  answers: { readonly schema?: JsonObject }
): JsonObject {
  const about = { tool: call.tool, call: call.id, leg, ...answers }
  if (kind === 'question') {
    const { question, options } = asked
    if (typeof question !== 'string' || question.trim() === '') throw refuse('wait.subject to have a question')
    if (options !== undefined && !(Array.isArray(options) && options.every((each) => typeof each === 'string'))) {
      throw refuse('wait.subject to have options that are texts')
    }
    return { ...asked, ...about }
  }
  const args = call.arguments ? inlineOf(call.arguments) : null
  const effect = call.started?.effect ?? 'once'
  return { ...about, arguments: args, ...(kind === 'approval' ? { effect, asks: ['tool'] } : {}), about: asked }
}
