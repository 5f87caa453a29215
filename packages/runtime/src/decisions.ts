// Keeps I12: only a person or the host decides, as this runtime's own principal; nothing in a decision says who gave it.
import type { ApproveOptions, Decision, DecisionReceipt } from './contracts/decision.ts'
import { findBudgetFault } from './contracts/budget.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { WaitId } from './contracts/ids.ts'
import type { Json, JsonObject } from './contracts/json.ts'
import type { WaitRow } from './contracts/wait.ts'
import { compileSchema } from './manifest/json-schema.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { isDecider } from './state/decision.ts'
import { isDeeplyNested } from './util/nesting.ts'
import { cutText, toWellFormedJson } from './util/well-formed.ts'

/** What a person says may weigh, as JSON: it stands in a fact and in the wait's row. */
const MAX_DECISION_BYTES = 262_144
/** The model reads it. */
const MAX_TEXT_LENGTH = 2_000

/** Decides about a wait. Whatever becomes of it is a value; throws `forbidden` and `invalid_input`. */
export async function decide(core: RuntimeCore, id: WaitId, given: Decision): Promise<DecisionReceipt> {
  const wait = await readWait(core, id)
  if (wait === null) return { wait: id, state: 'unknown' }
  await assertMayDecide(core, wait)
  const decision = toKept(core, given)
  const errors = findSecrets(core, given) ?? (await findErrors(core, wait, decision))
  if (errors !== null) return { wait: id, state: 'invalid', errors }
  const decided = await core.store.decide(id, decision as unknown as Json, core.principal)
  if (decided.state === 'accepted') {
    core.faults.delete(wait.thread)
    core.engine.wake(wait.thread)
  }
  return { wait: id, ...decided }
}

/** The approval that these options describe. */
export function toApproval({ note, arguments: edited, remember }: ApproveOptions): Decision {
  return {
    decision: 'approve',
    ...(note === undefined ? {} : { note }),
    ...(edited === undefined ? {} : { arguments: edited }),
    ...(remember === undefined ? {} : { remember })
  }
}

/** A wait of this tenant. */
async function readWait(core: RuntimeCore, id: WaitId): Promise<WaitRow | null> {
  const wait = await core.store.wait(id)
  const thread = wait && (await core.store.thread(wait.thread))
  return thread?.tenant === core.tenant ? wait : null
}

/** Throws `forbidden` when this runtime's principal may not decide about a wait. */
export async function assertMayDecide({ principal, mayDecide }: RuntimeCore, wait: WaitRow): Promise<void> {
  if (isDecider(principal) && (await mayDecide(wait, principal))) return
  const who = `${principal.kind} ${principal.id}`
  throw new HoldfastError('forbidden', `The ${who} may not decide about the wait ${wait.id}. Ask somebody who may.`, {
    details: { wait: wait.id, principal: who }
  })
}

/** A decision as it is kept: of the right shape, well-formed, bounded and without secrets. */
function toKept({ secrets }: RuntimeCore, given: Decision): Decision {
  const fault = faultOf(given)
  if (fault !== null) throw new HoldfastError('invalid_input', `Expected a decision ${fault}.`)
  const text = JSON.stringify(given)
  if (isDeeplyNested(text) || Buffer.byteLength(text) > MAX_DECISION_BYTES) {
    throw new HoldfastError('value_too_large', `A decision may have ${MAX_DECISION_BYTES} bytes of JSON, and few levels.`, {
      details: { limit: MAX_DECISION_BYTES }
    })
  }
  const kept = secrets.redactJson(toWellFormedJson(given as unknown as Json)) as unknown as Decision
  if ('note' in kept && kept.note !== undefined) return { ...kept, note: cutText(kept.note, MAX_TEXT_LENGTH) }
  if (kept.decision === 'deny' && kept.reason !== undefined) return { ...kept, reason: cutText(kept.reason, MAX_TEXT_LENGTH) }
  return kept
}

const FIELDS: { readonly [word in Decision['decision']]: readonly string[] } = {
  approve: ['decision', 'note', 'arguments', 'remember'],
  deny: ['decision', 'reason'],
  answer: ['decision', 'answer'],
  outcome: ['decision', 'outcome', 'result', 'note'],
  extend: ['decision', 'budget']
}

/** What is wrong with a decision that comes from outside of the types, or null. */
function faultOf(given: Decision): string | null {
  const value: unknown = given
  if (!isObject(value)) return 'as an object'
  const { decision, note, reason, remember, arguments: edited } = value
  if (typeof decision !== 'string' || !Object.hasOwn(FIELDS, decision)) return 'that says approve, deny, answer, outcome or extend'
  const known = FIELDS[decision as Decision['decision']]
  const other = Object.keys(value).find((key) => !known.includes(key))
  if (other !== undefined) return `with ${known.join(', ')}, and not ${cutText(other, 100)}`
  for (const text of [note, reason]) if (text !== undefined && typeof text !== 'string') return 'with a note or reason that is a text'
  if (edited !== undefined && !isObject(edited)) return 'with arguments that are an object'
  if (remember !== undefined && !['run', 'thread', 'arguments'].includes(String(remember))) return 'that remembers run, thread or arguments'
  return faultOfWord(value)
}

/** What is wrong with what one word says more than others. */
function faultOfWord(value: { readonly [field: string]: unknown }): string | null {
  const { decision, answer, budget } = value
  if (decision === 'outcome') return faultOfOutcome(value)
  if (decision === 'extend') return budgetFaultOf(budget)
  return decision === 'answer' && answer === undefined ? 'with an answer' : null
}

/** What is kept of edited arguments with a secret is not what somebody approved, and never runs (I6). */
function findSecrets({ secrets }: RuntimeCore, given: Decision): string | null {
  if (secrets.size === 0 || given.decision !== 'approve' || given.arguments === undefined) return null
  const names = secrets.namesIn(JSON.stringify(given.arguments))
  return names.length === 0 ? null : `the arguments hold a secret (${names.join(', ')}): let the tool look it up by itself`
}

function faultOfOutcome({ outcome, result }: { readonly [field: string]: unknown }): string | null {
  if (!['happened', 'not_happened', 'unknown'].includes(String(outcome))) return 'whose outcome is happened, not_happened or unknown'
  return result !== undefined && outcome !== 'happened' ? 'with a result only of what happened' : null
}

function budgetFaultOf(budget: unknown): string | null {
  const fault = findBudgetFault(budget, 'change')
  return fault === null ? null : `whose budget ${fault}`
}

/** What does not fit this wait; the wait stays open. */
async function findErrors(core: RuntimeCore, wait: WaitRow, decision: Decision): Promise<string | null> {
  if (!takenBy(wait).includes(decision.decision)) return `the wait is of kind ${wait.kind}`
  if (decision.decision === 'answer') return findAnswerErrors(wait, decision.answer)
  if (decision.decision !== 'approve') return null
  // Only calls are alike.
  if (decision.remember !== undefined && wait.kind !== 'approval') return `a wait of kind ${wait.kind} leaves nothing to remember`
  if (isSuspended(wait) && (decision.arguments !== undefined || decision.remember !== undefined)) {
    return 'the call has begun: its arguments cannot be changed, and nothing is remembered'
  }
  return decision.arguments === undefined ? null : findArgumentErrors(core, wait, decision.arguments)
}

/** What may be said about a wait. */
function takenBy({ kind }: WaitRow): readonly Decision['decision'][] {
  if (kind === 'question') return ['answer', 'deny']
  if (kind === 'budget') return ['extend', 'deny']
  if (kind === 'external') return ['answer', 'deny']
  return kind === 'outcome' ? ['outcome'] : ['approve', 'deny']
}

/** Whether a tool asks this in the middle of its work. */
function isSuspended({ subject }: WaitRow): boolean {
  return isObject(subject) && subject['leg'] !== undefined
}

/** Edited arguments must fit the schema that the publication froze. */
async function findArgumentErrors(core: RuntimeCore, wait: WaitRow, edited: JsonObject): Promise<string | null> {
  const thread = await core.store.thread(wait.thread)
  const name = isObject(wait.subject) ? wait.subject['tool'] : undefined
  const publication = thread && (await core.publication(thread.publication))
  const tool = publication?.definition.tools.find((each) => each.name === name)
  if (!tool || wait.kind !== 'approval') return 'there are no arguments to edit'
  const checked = (await compileSchema(tool.inputSchema))(edited)
  return checked.ok ? null : checked.errors
}

async function findAnswerErrors({ subject }: WaitRow, answer: Json): Promise<string | null> {
  if (!isObject(subject)) return null
  const { options, schema } = subject as JsonObject
  if (Array.isArray(options) && options.length > 0 && !options.includes(answer)) return `expected one of: ${options.join(', ')}`
  if (!isObject(schema)) return null
  try {
    const checked = (await compileSchema(schema as JsonObject))(answer)
    return checked.ok ? null : checked.errors
  } catch {
    // A schema that a model wrote and nobody can read asks for nothing.
    return null
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
