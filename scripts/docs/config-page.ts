import { z } from 'zod'
import { CONFIG_FIELDS, ConfigShape } from '../../packages/config/src/config-shape.ts'
import { PROVIDER_SHAPES } from '../../packages/config/src/provider-shape.ts'
import { CONFIG_NOTES } from './config-notes.ts'
import { toFieldCells, toLaterRows } from './field-note.ts'
import { assertCovers, toPage, toTable } from './markdown.ts'
import { readShapeRows } from './shape-rows.ts'

const INTRODUCTION = `\`holdfast.config.yaml\` (or \`.yml\`, \`.json\`) in the folder of a project or above it. \`NAME\` is a name of yours. A field that is not
listed is refused; all problems are told at once, each with its place and, where one is near, the name that was meant. Paths are relative to the file.
A secret stands nowhere in it: \`{ env: NAME }\` names the variable that holds it. [How to configure](../how-to/configure.md) shows it in use.`

/** Every field of a configuration. */
export function configPage(): string {
  // The file's own shape leaves providers to that of their driver.
  const shape = ConfigShape.extend({ providers: z.record(z.string(), z.union(Object.values(PROVIDER_SHAPES))).optional() })
  const rows = readShapeRows(shape, { isToldElsewhere: (path) => CONFIG_NOTES[path]?.as !== undefined })
  assertCovers(
    'notes of the configuration',
    CONFIG_NOTES,
    rows.map(({ path }) => path)
  )
  return toPage('The configuration', [
    INTRODUCTION,
    toTable(
      ['field', 'type', 'default', ''],
      rows.map((row) => toFieldCells(row, CONFIG_NOTES, () => ''))
    ),
    '## Fields of a provider, by its driver',
    toTable(
      ['driver', 'fields'],
      Object.entries(PROVIDER_SHAPES).map(([driver, { shape: fields }]) => [`\`${driver}\``, toNames(Object.keys(fields))])
    ),
    '## Fields of later versions',
    'Known and not supported yet; they are refused as such:',
    toTable(['in', 'fields'], toLaterRows(CONFIG_FIELDS, { whole: 'the configuration', any: '.NAME' }))
  ])
}

function toNames(names: readonly string[]): string {
  const others = names.filter((name) => name !== 'driver')
  return others.length === 0 ? 'none' : others.map((name) => `\`${name}\``).join(', ')
}
