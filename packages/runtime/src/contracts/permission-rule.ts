import type { Json } from './json.ts'

/** What a rule says about a call that it matches, from the strictest on. */
export type RuleEffect = 'deny' | 'ask' | 'allow'

/**
 * What a rule wants of one field of the arguments; of several comparisons each must hold.
 *
 * A field that is missing or null fits no comparison (but `eq: null` fits null), so that a rule for many tools says nothing about those that have no such
 * field. A field that is there and of another kind than the comparison is about (a list where a text is compared, a number written as a text, something
 * other than an object on the way) cannot be judged: then `deny` and `ask` hold, and `allow` does not.
 */
export interface RuleCondition {
  /** Names of own fields and indexes of lists from the top, with dots: `target.items.0`. */
  readonly path: string
  /** The same value: exact text, number (-0 is 0), true or false, null, or the same list or object. */
  readonly eq?: Json
  /** The whole text: `*` any run of characters (`/` too), `?` one, `[…]` one of some, `{a,b}` one of some texts. Letters as they are written. */
  readonly glob?: string
  /** Numbers below this one. */
  readonly lt?: number
  /** Numbers above this one. */
  readonly gt?: number
}

/** One rule of a layer. `deny` is absolute, then `ask`, then `allow`: their order does not matter. */
export interface PermissionRule {
  readonly effect: RuleEffect
  /**
   * A glob over names of tools, as in `RuleCondition`. `deny` and `ask` match by the tool's identity (`mcp:git/push`), by its owner's name for it (`push`)
   * and by the name that the model sees, hyphens and underscores being the same. `allow` matches by identity, and by the name of a tool that belongs to no
   * connection: never by a name that a definition or a connection chose.
   */
  readonly tool: string
  readonly when?: RuleCondition
}
