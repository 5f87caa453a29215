import type { JsonObject } from '../src/contracts/json.ts'
import type { PermissionRule, RuleEffect } from '../src/contracts/permission-rule.ts'
import type { RuledCall } from '../src/grants/rule-layers.ts'
import { compileRules } from '../src/grants/rule-layers.ts'

/** Whether a rule of an effect matches. */
export async function matches(effect: RuleEffect, rule: Omit<PermissionRule, 'effect'>, call: RuledCall): Promise<boolean> {
  const { denies, asks, allows } = (await compileRules([{ id: 'host', rules: [{ effect, ...rule }] }]))(call)
  return [...denies, ...asks, ...allows].length === 1
}

/** A call of the tool `pay`, or of another one. */
export function callOf(args: JsonObject, tool: Partial<RuledCall> = {}): RuledCall {
  return { identity: 'host:pay', name: 'pay', arguments: args, ...tool }
}
