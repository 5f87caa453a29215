import { ANTHROPIC_BODY, ANTHROPIC_RULES } from './anthropic-rules.ts'
import { GOOGLE_BODY, GOOGLE_RULES } from './google-rules.ts'
import { OPENAI_CHAT_BODY, OPENAI_CHAT_RULES } from './openai-chat-rules.ts'
import { OPENAI_RESPONSES_BODY, OPENAI_RESPONSES_RULES } from './openai-responses-rules.ts'
import type { StrictRule, Wire } from './strict-rule.ts'

/** Everything that the fakes refuse. */
export const STRICT_RULES: readonly StrictRule[] = [...OPENAI_CHAT_RULES, ...OPENAI_RESPONSES_RULES, ...ANTHROPIC_RULES, ...GOOGLE_RULES]

/** A request of each wire that is taken. */
export const TAKEN_BODIES: { readonly [wire in Wire]: object } = {
  'openai-chat': OPENAI_CHAT_BODY,
  'openai-responses': OPENAI_RESPONSES_BODY,
  anthropic: ANTHROPIC_BODY,
  google: GOOGLE_BODY
}

/** The rules that a body breaks. */
export function brokenRules(wire: Wire, body: unknown): readonly string[] {
  return STRICT_RULES.filter((each) => each.wire === wire && each.breaks(body)).map(({ rule }) => rule)
}
