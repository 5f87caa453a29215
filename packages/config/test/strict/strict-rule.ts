/** A wire format, as one provider takes it. */
export type Wire = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google'

/** Something that a provider refuses. */
export interface StrictRule {
  readonly wire: Wire
  readonly rule: string
  /** Where the provider says so, or where somebody shows its answer. */
  readonly link: string
  /** A request that breaks this rule and no other one. */
  readonly body: object
  breaks(body: unknown): boolean
}
