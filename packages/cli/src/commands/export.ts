import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { name, toOutputFile } from '../option-values.ts'
import { plural } from '../plural.ts'
import { writeWhole } from '../whole-file.ts'
import { parseThreadId } from '../thread-id.ts'
import { openExisting } from '../workspace.ts'

interface ExportOptions {
  readonly output?: string
}

/** `holdfast export` */
export function exportCommand(choose: Choose): Command {
  return new Command('export')
    .description('Writes a thread as JSONL: its publication, its log with all its artifacts, and its inbox. Looks only.')
    .argument('<thread>', 'its id')
    .option('-o, --output <file>', 'where to write (default, and -: standard output)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast export thr_0123456789abcdef -o thread.jsonl
  $ holdfast export thr_0123456789abcdef | gzip > thread.jsonl.gz

The same thread gives the same bytes each time, and after \`holdfast import\` into another store. Everything that was
said in it is in the file; keys of providers are not. What is made of it elsewhere is a second thread with the same
past: decide about and drive only one of them.
With --json and -o: { "thread", "file", "lines", "bytes" }.`
    )
    .action((thread: string, options: ExportOptions) => choose((context) => exportThread(context, parseThreadId(thread), options)))
}

async function exportThread(context: CommandContext, id: string, options: ExportOptions): Promise<number> {
  const { output, io } = context
  const named = toOutputFile(options.output)
  if (named === undefined && output.mode === 'json') {
    throw new Failure('invalid_input', 'An export is JSONL by itself, and --json gives one document.', {
      remedy: 'Leave --json out, or name a file with -o.'
    })
  }
  await using workspace = await openExisting(context)
  const lines = workspace.runtime.thread(id).export()
  if (named === undefined) {
    for await (const line of lines) output.raw(line)
    return EXIT.completed
  }
  const file = resolve(io.cwd, named)
  const written = await writeWhole(file, lines)
  output.document({ thread: id, file, ...written })
  output.progress(`wrote ${file}: ${plural(written.lines, 'line')}, ${plural(written.bytes, 'byte')}`)
  return EXIT.completed
}
