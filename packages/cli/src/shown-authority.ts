import type { Grants, PermissionRule } from '@holdfast/runtime'
import { toJsonText, toVisibleLine } from './visible-text.ts'

/** What is granted, field by field; what grants nothing is left out. */
export function toGrantRows(grants: Grants | undefined): readonly (readonly string[])[] {
  if (grants === undefined) return []
  return leavesOf(grants, '').flatMap(([path, value]) => (isNothing(value) ? [] : [[path, toVisibleLine(render(value), 1000)]]))
}

/** Rules, one a row. */
export function toRuleRows(rules: readonly PermissionRule[] = []): readonly (readonly string[])[] {
  return rules.map(({ effect, tool, when }) => [
    effect,
    toVisibleLine(tool),
    when === undefined ? '' : `when ${toVisibleLine(toJsonText(when), 500)}`
  ])
}

function leavesOf(value: object, around: string): readonly (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]): readonly (readonly [string, unknown])[] => {
    const path = around === '' ? name : `${around}.${name}`
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? leavesOf(inner, path) : [[path, inner]]
  })
}

function isNothing(value: unknown): boolean {
  return value === false || value === 0 || value === 'none' || value === 'descendants' || (Array.isArray(value) && value.length === 0)
}

function render(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}
