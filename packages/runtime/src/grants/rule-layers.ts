// Keeps I8: a layer can only be stricter than the others, never make up for one.
import { HoldfastError } from '../contracts/errors.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { PermissionRule, RuleEffect } from '../contracts/permission-rule.ts'
import { digestJson } from '../util/canonical.ts'
import { compileGlob } from '../util/glob.ts'
import { byText } from './name-set.ts'
import { RULE_EFFECTS } from './parse-rules.ts'
import { judgeCondition } from './rule-condition.ts'
import { ownNameOf, parseToolIdentity } from './tool-identity.ts'

/** Rules of one author: the host's of today, those of one publication, or those of a plugin. */
export interface RuleLayer {
  /** `host`, the digest of a publication, or `plugin:` and a name. */
  readonly id: string
  readonly rules: readonly PermissionRule[]
}

/** A call as rules look at it. */
export interface RuledCall {
  /** Of the tool; absent when there is no such tool. */
  readonly identity?: string
  /** What the model calls the tool. */
  readonly name: string
  /** Final ones: what would run. */
  readonly arguments: JsonObject
}

/** A rule that matched. */
export interface MatchedRule {
  /** From its layer and what it says, not from its place: a rule that is changed is another rule, one that is moved is the same. */
  readonly id: string
  readonly layer: string
  readonly rule: PermissionRule
}

/** What all layers say about a call. */
export interface RuleVerdict {
  /** The strictest of all layers. `allow` also when no rule matched: rules bound, they do not grant. */
  readonly verdict: RuleEffect
  readonly denies: readonly MatchedRule[]
  /** Who asked. On resume an ask whose id is not among those that were answered is a new one. */
  readonly asks: readonly MatchedRule[]
  /** Who said so expressly. */
  readonly allows: readonly MatchedRule[]
}

/** Judges calls by all layers. */
export type RuleJudge = (call: RuledCall) => RuleVerdict

/**
 * Compiles layers of rules: the host's, each ancestor's publication from the root down, the thread's own. Their order, and the order of rules in them, does
 * not change what they say. Throws `invalid_input` (details: `layer`, `index`) when a glob cannot be read: rules that were parsed have none.
 */
export async function compileRules(layers: readonly RuleLayer[]): Promise<RuleJudge> {
  const compiled = await Promise.all(layers.flatMap(({ id, rules }) => rules.map((rule, index) => compileRule(rule, id, index))))
  const rules = [...new Map(compiled.map((each) => [each.matched.id, each])).values()].toSorted((a, b) =>
    byText(a.matched.id, b.matched.id)
  )
  if (rules.length === 0) return () => SILENCE
  return (call) => {
    const names = { strict: strictNames(call), exact: exactNames(call) }
    const found = rules.filter((rule) => rule.holds(call, names)).map(({ matched }) => matched)
    const [denies, asks, allows] = RULE_EFFECTS.map((effect) => found.filter(({ rule }) => rule.effect === effect))
    const verdict = RULE_EFFECTS.find((effect) => found.some(({ rule }) => rule.effect === effect)) ?? 'allow'
    return { verdict, denies: denies ?? [], asks: asks ?? [], allows: allows ?? [] }
  }
}

/**
 * What a wait names a rule by that asks, for a rule in normal form. From its layer (`host`, or the digest of a publication) and what it says, not from its
 * place: a rule that is changed is another rule, one that is moved is the same.
 */
export function toRuleId(layer: string, rule: PermissionRule): string {
  return `rule:${layer}:${digestJson(rule).slice('sha256:'.length)}`
}

const SILENCE: RuleVerdict = { verdict: 'allow', denies: [], asks: [], allows: [] }

/** The names of a call's tool: all that it has, and those that nobody chose who may not. */
interface CallNames {
  readonly strict: readonly string[]
  readonly exact: readonly string[]
}

interface CompiledRule {
  readonly matched: MatchedRule
  holds(call: RuledCall, names: CallNames): boolean
}

async function compileRule(rule: PermissionRule, layer: string, index: number): Promise<CompiledRule> {
  const { effect, tool, when } = rule
  const [fitsTool, fitsText] = await Promise.all([compileGlob(tool, 'text'), compileGlob(when?.glob ?? '', 'text')])
  if (fitsTool === undefined || fitsText === undefined) {
    throw new HoldfastError('invalid_input', `A glob of permission rule ${index} of ${layer.slice(0, 100)} cannot be read.`, {
      details: { layer: layer.slice(0, 100), index }
    })
  }
  const isStrict = effect !== 'allow'
  return {
    matched: { id: toRuleId(layer, rule), layer, rule },
    holds(call, names) {
      if (!(isStrict ? names.strict : names.exact).some(fitsTool)) return false
      if (when === undefined) return true
      const answer = judgeCondition(when, fitsText, call.arguments)
      return answer === 'yes' || (isStrict && answer === 'unsure')
    }
  }
}

function strictNames({ identity, name }: RuledCall): readonly string[] {
  const parsed = identity === undefined ? undefined : parseToolIdentity(identity)
  const names = [name, ...(identity === undefined ? [] : [identity]), ...(parsed === undefined ? [] : [ownNameOf(parsed)])]
  return [...new Set(names.flatMap((each) => [each, each.replaceAll('-', '_'), each.replaceAll('_', '-')]))]
}

function exactNames({ identity }: RuledCall): readonly string[] {
  const parsed = identity === undefined ? undefined : parseToolIdentity(identity)
  if (identity === undefined || parsed === undefined) return []
  return parsed.kind === 'mcp' || parsed.kind === 'plugin' ? [identity] : [identity, ownNameOf(parsed)]
}
