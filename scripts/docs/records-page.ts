import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECORD_VERSION } from '../../packages/runtime/src/contracts/turn-record.ts'
import { toCode, toPage, toTable } from './markdown.ts'
import { readFields } from './type-text.ts'

const INTRODUCTION = `A record tells of one turn that is over. \`holdfast records THREAD\` prints those of a thread, a line of JSON each; \`thread.records()\` gives them,
and a runtime with \`records: [jsonlRecords(path)]\` writes one as soon as a turn is over. All three make the same bytes: a record follows from the facts of the log
alone, with its fields in the order of this page. A line that was lost is made again by the command.

This is version ${RECORD_VERSION} (\`record: ${RECORD_VERSION}\`). A field that changes its meaning or goes raises it; a field may be added without. Types are written as in
TypeScript; \`?\` marks what may be absent. Types that facts share are on [the page of facts](facts.md). Points in time are milliseconds since 1970 on the store's clock.

Of an answer or a result that is kept as an artifact a record holds what the fact holds: digest, size and beginning. No record holds a value that the secret registry
knew when its fact was written.`

const TYPES = {
  TurnRecord: 'A turn',
  RecordedFailure: 'A try without an answer',
  RecordedCall: 'A call',
  RecordedWait: 'A wait'
}

/** The shape of records. */
export function recordsPage(root: string): string {
  const source = readFileSync(join(root, 'packages/runtime/src/contracts/turn-record.ts'), 'utf8')
  const sections = Object.entries(TYPES).flatMap(([name, title]) => [`## ${title}`, `\`${name}\``, toFields(source, name)])
  return toPage('Records of turns', [INTRODUCTION, ...sections])
}

function toFields(source: string, name: string): string {
  const start = source.indexOf('{', source.indexOf(`export interface ${name} `))
  const fields = readFields(source.slice(start + 1, source.indexOf('\n}', start)))
  const rows = fields.map(({ name: field, optional, type, note }) => [
    `\`${field}\`${optional ? '?' : ''}`,
    toCode(type.replaceAll(/\s+/g, ' ')),
    note
  ])
  return toTable(['field', 'type', ''], rows)
}
