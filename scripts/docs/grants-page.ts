import { NO_GRANTS } from '../../packages/runtime/src/grants/intersect-grants.ts'
import { definition } from '../../packages/runtime/src/transfer/definition-shape.ts'
import type { FieldNotes } from './field-note.ts'
import { toFieldCells } from './field-note.ts'
import { GRANT_NOTES, RULE_NOTES } from './grants-notes.ts'
import { assertCovers, toPage, toTable } from './markdown.ts'
import type { ShapeRow } from './shape-rows.ts'
import { readShapeRows } from './shape-rows.ts'

const INTRODUCTION = `What a run may do is a set. The configuration says under \`grants\` what there is at all; an agent asks for a part of it under \`grants\` and never
holds more. A field that is left out grants nothing. Two grants are intersected field by field: the deeper folder, the narrower host, the names
of both, the lesser of two degrees.

Every call is held against the rules, and against \`tools\` of the grants: an agent that says anything under \`grants\` says \`tools\`, too, or none of its tools runs. The command holds
its file tools to \`files\` and \`fetch_url\` to \`network\` ([how](../how-to/tools.md)). The other fields are read, checked and kept; nothing in this version uses what they grant.`

/** Grants and permission rules. */
export function grantsPage(): string {
  const grants = leavesOf(NO_GRANTS, '').map(({ path, value }) => ({ row: { path, type: '', required: false }, value }))
  const rules = readShapeRows(definition, { isToldElsewhere: () => false }).flatMap(({ path, ...row }) =>
    path.startsWith('permissions[].') ? [{ ...row, path: path.slice('permissions[].'.length) }] : []
  )
  assertCovers(
    'notes of grants',
    GRANT_NOTES,
    grants.map(({ row }) => row.path)
  )
  assertCovers(
    'notes of rules',
    RULE_NOTES,
    rules.map(({ path }) => path)
  )
  const without = new Map(grants.map(({ row, value }) => [row.path, value]))
  return toPage('Grants and permission rules', [
    INTRODUCTION,
    '## Grants',
    toCells(
      grants.map(({ row }) => row),
      GRANT_NOTES,
      (path) => `\`${without.get(path)}\``
    ),
    '## Permission rules',
    'A list of rules under `permissions`. Of several comparisons in one rule each must hold.',
    toCells(rules, RULE_NOTES, () => '')
  ])
}

function toCells(rows: readonly ShapeRow[], notes: FieldNotes, defaultOf: (path: string) => string): string {
  return toTable(
    ['field', 'type', 'default', ''],
    rows.map((row) => toFieldCells(row, notes, defaultOf))
  )
}

/** What stands below an object, by its path, as JSON. */
function leavesOf(value: object, around: string): readonly { readonly path: string; readonly value: string }[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const path = around === '' ? name : `${around}.${name}`
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isObject ? leavesOf(inner, path) : [{ path, value: typeof inner === 'string' ? inner : JSON.stringify(inner) }]
  })
}
