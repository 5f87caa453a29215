import type { Json } from './json.ts'

/** What a rule says about a call that it matches, from the strictest on. */
export type RuleEffect = 'deny' | 'ask' | 'allow'

/** What a rule wants of one field of the arguments; of several comparisons each must hold. */
export interface RuleCondition {
  /** Names of fields and indexes of lists from the top, with dots: `target.items.0`. */
  readonly path: string
  /** The same value: exact text, number, true or false, null, or the same list or object. */
  readonly eq?: Json
  /** The whole text: `*` any run of characters (`/` too), `?` one, `[…]` one of some, `{a,b}` one of some texts. */
  readonly glob?: string
  /** Numbers below this one. */
  readonly lt?: number
  /** Numbers above this one. */
  readonly gt?: number
}

/** One rule of a layer. `deny` is absolute, then `ask`, then `allow`. */
export interface PermissionRule {
  readonly effect: RuleEffect
  /** A glob over names of tools, as in `RuleCondition`. */
  readonly tool: string
  readonly when?: RuleCondition
}
