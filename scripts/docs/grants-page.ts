import { DEFAULT_GRANTS } from '../../packages/runtime/src/grants/written-grants.ts'
import { definition } from '../../packages/runtime/src/transfer/definition-shape.ts'
import type { FieldNotes } from './field-note.ts'
import { toFieldCells } from './field-note.ts'
import { GRANT_NOTES, RULE_NOTES } from './grants-notes.ts'
import { assertCovers, toPage, toTable } from './markdown.ts'
import type { ShapeRow } from './shape-rows.ts'
import { readShapeRows } from './shape-rows.ts'

const INTRODUCTION = `What a run may do is a set. The configuration says under \`grants\` what there is at all; an agent asks for a part of it under \`grants\` and never
holds more. Two grants are intersected field by field: the deeper folder, the narrower host, the names of both, the lesser of two degrees.

Of the machine (\`files\`, \`shell\`, \`network\`, \`env\`, \`code\`) what is left out is not granted. \`tools\`, \`connections\`, \`models\`, \`definitions\` and \`agents\` are named elsewhere,
too: what is left out of these is what is named there, and what is said narrows it ([why](../decisions/0011-what-grants-leave-out.md)). An empty list leaves nothing.

A thread keeps what it was started with, and may do of that what is granted today; \`holdfast show\` prints it. Every call is held against \`tools\` and against the rules, every
model against \`models\` before it is asked; the file tools hold each path to \`files\`, and \`fetch_url\` each host to \`network\` ([how](../how-to/tools.md)). The other fields are read, checked and kept;
nothing of this version uses them but tools of your own.

\`--grant FIELD=VALUE\` of \`holdfast run\` and \`chat\` grants more to one thread: \`files.read\`, \`files.write\`, \`network\` (a host), \`network.private\` (a host with its port), \`env\`,
\`shell\`; and \`tools\`, \`models\`, \`connections\`, \`definitions\`, of which those that are named are the only ones where the configuration lists none. Folders are relative to
the current one. It is remembered with the thread.`

/** Grants and permission rules. */
export function grantsPage(): string {
  const grants = leavesOf(DEFAULT_GRANTS, '').map(({ path, value }) => ({ row: { path, type: '', required: false }, value }))
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
