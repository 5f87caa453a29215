/** Where each provider documents its wire format. */
interface Documentation {
  readonly 'openai-chat': `https://platform.openai.com/docs/${string}`
  readonly 'openai-responses': `https://platform.openai.com/docs/${string}`
  readonly anthropic: `https://platform.claude.com/docs/${string}`
  readonly google: `https://ai.google.dev/${string}`
}

/** A wire format, as one provider takes it. */
export type Wire = keyof Documentation

/** Something that a provider refuses. */
export interface StrictRuleOf<W extends Wire> {
  readonly wire: W
  readonly rule: string
  /** The provider's own page about the field, or the order, that the rule is of. */
  readonly documentation: Documentation[W]
  /** Where somebody shows the refusal. Absent: the page states the rule. */
  readonly seen?: `https://${string}`
  /** A request that breaks this rule and no other one. */
  readonly body: object
  breaks(body: unknown): boolean
}

/** One of any wire. */
export type StrictRule = { readonly [W in Wire]: StrictRuleOf<W> }[Wire]
