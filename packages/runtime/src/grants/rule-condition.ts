import type { Json, JsonObject } from '../contracts/json.ts'
import type { RuleCondition } from '../contracts/permission-rule.ts'

/** What a condition says of arguments; `unsure` when there is a value that it cannot judge. */
export type Answer = 'yes' | 'no' | 'unsure'

/** Holds a condition against arguments. `fitsGlob` is its compiled glob. */
export function judgeCondition(condition: RuleCondition, fitsGlob: (text: string) => boolean, args: JsonObject): Answer {
  const found = findValue(args, condition.path.split('.'))
  if (found === 'no' || found === 'unsure') return found
  const answers = compare(condition, fitsGlob, found.value)
  if (answers.includes('no')) return 'no'
  return answers.includes('unsure') ? 'unsure' : 'yes'
}

/** The value at a path; `no` when there is none, `unsure` when something stands in the way that has other ways inside. */
function findValue(args: JsonObject, path: readonly string[]): { readonly value: Json } | 'no' | 'unsure' {
  let value: Json = args
  for (const part of path) {
    if (value === null) return 'no'
    if (typeof value !== 'object' || (Array.isArray(value) && !/^(?:0|[1-9]\d{0,15})$/.test(part))) return 'unsure'
    if (!Object.hasOwn(value, part)) return 'no'
    value = Reflect.get(value, part) as Json
  }
  return value === undefined ? 'no' : { value }
}

function compare({ eq, glob, lt, gt }: RuleCondition, fitsGlob: (text: string) => boolean, value: Json): readonly Answer[] {
  return [
    ...(eq === undefined ? [] : [compareWith(eq, value)]),
    ...(glob === undefined ? [] : [judge(value, 'text', () => fitsGlob(String(value)))]),
    ...(lt === undefined ? [] : [judge(value, 'number', () => Number(value) < lt)]),
    ...(gt === undefined ? [] : [judge(value, 'number', () => Number(value) > gt)])
  ]
}

function compareWith(wanted: Json, value: Json): Answer {
  if (wanted === null) return value === null ? 'yes' : 'no'
  return judge(value, kindOf(wanted), () => isSame(wanted, value))
}

function judge(value: Json, kind: string, fits: () => boolean): Answer {
  if (value === null) return 'no'
  if (kindOf(value) !== kind) return 'unsure'
  return fits() ? 'yes' : 'no'
}

function kindOf(value: Json): string {
  if (typeof value === 'string') return 'text'
  if (typeof value !== 'object') return Number.isNaN(value) ? 'no number' : typeof value
  return Array.isArray(value) ? 'list' : 'object'
}

/** Whether two values are the same. As deep as the first one: that of a rule has a bound. */
function isSame(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame(Reflect.get(a, key) as Json, Reflect.get(b, key) as Json))
}
