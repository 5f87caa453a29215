import { AGENT_FIELDS, AgentManifestShape } from '../../packages/runtime/src/manifest/agent-shape.ts'
import { DEFAULT_LIMITS } from '../../packages/runtime/src/state/limits.ts'
import { toFieldCells, toLaterRows } from './field-note.ts'
import { FIELD_NOTES } from './field-notes.ts'
import { assertCovers, toPage, toTable } from './markdown.ts'
import { readShapeRows } from './shape-rows.ts'

const INTRODUCTION = `An agent as a file, YAML or JSON. In code \`defineAgent\` takes the same fields but those that say "only in a file". A field that is not listed is
refused; all problems are told at once, each with its place and, where one is near, the name that was meant. Templates write a variable as \`{{ name }}\`.`

/** Every field of an agent. */
export function manifestPage(): string {
  const rows = readShapeRows(AgentManifestShape, { isToldElsewhere: (path) => FIELD_NOTES[path]?.as !== undefined })
  assertCovers(
    'notes of fields',
    FIELD_NOTES,
    rows.map(({ path }) => path)
  )
  return toPage('The agent manifest', [
    INTRODUCTION,
    toTable(
      ['field', 'type', 'default', ''],
      rows.map((row) => toFieldCells(row, FIELD_NOTES, defaultOf))
    ),
    '## Fields of later versions',
    'Known and not supported yet; they are refused as such:',
    toTable(['in', 'fields'], toLaterRows(AGENT_FIELDS, { whole: 'the manifest', any: '[]' }))
  ])
}

function defaultOf(path: string): string {
  if (!path.startsWith('limits.')) return ''
  const value: unknown = Reflect.get(DEFAULT_LIMITS, path.slice('limits.'.length))
  if (value === undefined) return 'no bound'
  return typeof value === 'number' ? `${value}` : `\`${String(value)}\``
}
