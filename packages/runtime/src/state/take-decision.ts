// Keeps I10 and I12: a decision is consumed once, with its effect or as discarded; only a person or the host answers.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { TakeContext, Taken } from '../contracts/heart.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import type { Part } from '../contracts/message.ts'
import type { InboxItem } from '../contracts/store.ts'
import type { Digest } from '../contracts/ids.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import { toCallDigest } from './call-digest.ts'
import { isDecider, readDecision } from './decision.ts'
import { toExtension } from './take-budget.ts'
import type { Call, OpenWait, State } from './state.ts'
import { conversationOf, isActive, isEnding } from './state.ts'

/** An item that is consumed without effect. */
export function discard(item: InboxItem, why: FactOf<'item.discarded'>['why']): Taken {
  return { item, facts: [{ v: 1, type: 'item.discarded', cause: item.id, item: item.id, why }] }
}

/** A decision: resolves its wait as soon as that is open, whatever else runs. */
export function takeDecision(state: State, item: InboxItem): Taken {
  const body = item.body as { readonly wait: string; readonly decision: Json }
  const wait = state.waits.get(body.wait)
  if (!wait || !isActive(state) || isEnding(state)) return discard(item, 'closed')
  return resolve(state, wait, item, body.decision)
}

/**
 * The first message of a person or the host that answers the only open question; null when there is none. One that does not fit waits. What was said before
 * the question was shown answers nothing.
 */
export function takeAnswer(state: State, items: readonly InboxItem[], context: Pick<TakeContext, 'sequence'>): Taken | null {
  const found = findAnswer(state, items, context)
  return found && resolve(state, found.question, found.item, { decision: 'answer', answer: found.answer })
}

/** The message that would be the answer, as it is seen. */
export function findAnswer(
  state: State,
  items: readonly InboxItem[],
  { sequence }: Pick<TakeContext, 'sequence'>
): { readonly question: OpenWait; readonly item: InboxItem; readonly answer: Json } | null {
  if (!isActive(state) || isEnding(state)) return null
  const questions = [...state.waits.values()].filter((wait) => wait.kind === 'question')
  const [question] = questions
  if (!question || questions.length > 1 || question.stamp.sequence >= sequence) return null
  const call = callOf(state, question)
  const { stamp, expiresAfterMs } = question
  for (const item of items) {
    // By then it is expired, whoever finds out when.
    const isLate = expiresAfterMs !== null && item.at >= stamp.at + expiresAfterMs
    const answer = isLate || item.at < stamp.at ? undefined : answerIn(state, item, call)
    if (answer !== undefined) return { question, item, answer }
  }
  return null
}

function answerIn({ admitted }: State, item: InboxItem, call: Call | undefined): Json | undefined {
  if ((item.kind !== 'message' && item.kind !== 'interrupt') || !isDecider(item.from)) return undefined
  const { parts, answers } = item.body as unknown as { readonly parts: readonly Part[]; readonly answers?: false }
  const text = answers === false ? null : textOf(admitted.get(item.id)?.seen ?? parts)
  return text === null ? undefined : toAnswer(call, text)
}

function resolve(state: State, wait: OpenWait, item: InboxItem, decision: Json): Taken {
  const run = state.run ? { run: state.run.id } : {}
  const resolved: Fact = {
    v: 1,
    type: 'wait.resolved',
    ...run,
    scope: wait.scope,
    cause: item.id,
    wait: wait.id,
    as: 'decided',
    decision,
    by: item.from
  }
  const remembered = toRemembered(state, wait, decision, item)
  const extension = wait.kind === 'budget' ? toExtension(state, decision, item) : null
  return { item, close: [wait.id], facts: [resolved, ...(remembered ? [remembered] : []), ...(extension ? [extension] : [])] }
}

/** What an approval allows beyond its call: the same tool, with no other ask than those that were shown. */
function toRemembered(state: State, wait: OpenWait, decision: Json, item: InboxItem): Fact | null {
  const { approve, remember, edited } = readDecision(decision, item.from)
  const call = callOf(state, wait)
  // What a tool asks in the middle of its work is about that work alone.
  if (!approve || remember === null || wait.kind !== 'approval' || !call?.digest || call.suspended) return null
  const tool = state.tools.get(call.tool)
  if (tool && !isOfTool(state, call, tool)) return null
  if (!tool) return null
  return {
    v: 1,
    type: 'approval.remembered',
    ...(state.run ? { run: state.run.id } : {}),
    scope: wait.scope,
    cause: item.id,
    for: remember === 'run' ? 'run' : 'thread',
    rule: {
      tool: toolKeyOf(tool),
      asks: [...new Set([...call.answered, ...call.asks])],
      ...(remember === 'arguments' ? { arguments: edited === null ? call.digest : digestOf(state, call, tool, edited) } : {}),
      ...(call.needed === 1 ? {} : { needed: call.needed })
    }
  }
}

/** Whether what was shown is a call of the tool that the publication knows, and of no other version that was there then. */
function isOfTool(state: State, call: Call, tool: ToolDescriptor): boolean {
  const args = call.arguments && 'inline' in call.arguments ? call.arguments.inline : null
  return digestOf(state, call, tool, args) === call.digest
}

function digestOf({ thread }: State, { tool: name, input }: Call, tool: ToolDescriptor, args: Json): Digest {
  return toCallDigest(thread, tool, { tool: name, arguments: args, input })
}

/** What a remembered approval knows a tool by: another version of it is another tool. */
export function toolKeyOf(tool: { readonly identity: string; readonly version: string }): string {
  return `${tool.identity}@${tool.version}`
}

function callOf(state: State, wait: OpenWait): Call | undefined {
  return conversationOf(state, wait.scope).turn?.calls.find((call) => call.id === wait.call)
}

/** The text of a message that is nothing but text. */
function textOf(parts: readonly Part[]): string | null {
  const texts = parts.map((part) => (part.type === 'text' ? part.text : null))
  return texts.includes(null) ? null : texts.join('\n').trim()
}

/** What a text answers to a question: one of its options, or the text where no other kind is asked for. Undefined: it does not answer. */
function toAnswer(call: Call | undefined, text: string): Json | undefined {
  const asked = call?.suspended ? call.suspended.subject : call?.arguments
  const question = (asked && 'inline' in asked ? asked.inline : null) as JsonObject | null
  if (!question) return undefined
  const { options, schema } = question
  if (Array.isArray(options) && options.length > 0) {
    return options.find((option) => typeof option === 'string' && option.toLowerCase() === text.toLowerCase())
  }
  // A schema is judged where the answer is given to the question itself.
  return schema === undefined && text !== '' ? text : undefined
}
