import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { defineTool } from '@holdfast/runtime'
import { z } from 'zod'

const folder = import.meta.dirname

export const listNotes = defineTool({
  name: 'list_notes',
  description: 'Lists the files of all notes.',
  input: z.object({}),
  // Changes nothing: it may run again after a crash.
  effect: 'read',
  execute: async () => (await readdir(join(folder, 'notes'))).toSorted()
})

export const readNote = defineTool({
  name: 'read_note',
  description: 'Reads one note.',
  input: z.object({ file: z.string().describe('a name that list_notes gave') }),
  effect: 'read',
  execute: ({ file }) => readFile(join(folder, 'notes', basename(file)), 'utf8')
})

export const writeSummary = defineTool({
  name: 'write_summary',
  description: 'Writes the summary, in place of the one before.',
  input: z.object({ text: z.string().describe('Markdown') }),
  // A repeat writes the same file again. What must never happen twice is `once`, and that is the default.
  effect: 'idempotent',
  execute: async ({ text }) => {
    await writeFile(join(folder, 'summary.md'), text)
    return 'The summary stands in summary.md.'
  }
})
