import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { readProject } from '../configuration.ts'
import { againOf } from '../drive-to-rest.ts'
import { EXIT } from '../exit-code.ts'
import { Failure, isRuntimeError } from '../failure.ts'
import { loadConfiguration, loadRuntime } from '../libraries.ts'
import { findConfigFile, findStore, prepareFolder } from '../store-location.ts'
import { toVisibleLine } from '../visible-text.ts'
import { openWorkspace } from '../workspace.ts'

/** `holdfast import` */
export function importCommand(choose: Choose): Command {
  return new Command('import')
    .description('Makes a thread from its export. The same file again changes nothing.')
    .argument('<file>', 'what `holdfast export` wrote; - reads standard input')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast import thread.jsonl
  $ gunzip -c thread.jsonl.gz | holdfast import - --store other.db

Every record is checked before anything is written, and no other thread is overwritten. Import what you trust: an
approval that stands in the file counts as one. The thread keeps its id and is driven by nobody; the file does not
tell where its tools are: \`holdfast resume THREAD --tools FILE\` does.
With --json: { "thread", "state": "imported" | "repeated", "status" }.`
    )
    .action((file: string) => choose((context) => importThread(context, file)))
}

async function importThread(context: CommandContext, file: string): Promise<number> {
  const { output } = context
  const { cwd } = context.io
  const { config, context: known } = await readProject(context, findConfigFile(cwd))
  const { env } = known.io
  await context.secrets.register(config, env)
  const location = findStore({ named: context.options.store, config, cwd, env })
  // No store is made for a file that is refused.
  const pieces = location.exists ? readText(context, file) : await rehearse(readText(context, file))
  prepareFolder(location)
  await using workspace = await openWorkspace(context, location, { writes: true })
  const { thread, state } = await explain(workspace.runtime.import(pieces), context)
  const { row } = await workspace.runtime.thread(thread).info()
  output.document({ thread, state, status: row.status })
  output.result(thread)
  const what = state === 'imported' ? 'imported' : 'was there already'
  output.progress(
    `${thread} ${what} (${toVisibleLine(row.agent, 40)}, ${row.status}). Look at it with: ${againOf(thread, context)('show')}`
  )
  return EXIT.completed
}

/** Imports into a store that is thrown away, and gives what it was given: an export of an import is the same. */
async function rehearse(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const { createRuntime, memoryStore } = await loadRuntime()
  const runtime = createRuntime({ store: memoryStore(), concurrency: 0 })
  const { thread } = await runtime.import(pieces)
  return runtime.thread(thread).export()
}

/** Adds what to do when the store has another thread under the same name. */
async function explain<Result>(work: Promise<Result>, context: CommandContext): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!isRuntimeError(error) || error.code !== 'conflict') throw error
    const { thread } = error.details
    throw new Failure(error.code, `${error.message}.`, {
      details: error.details,
      remedy: `Import into another store with --store, or first: ${againOf(String(thread), context)('rm')}`,
      cause: error
    })
  }
}

async function* readText({ io }: CommandContext, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const path = resolve(io.cwd, file)
  const { streamNamedFile } = await loadConfiguration()
  const source = file === '-' ? io.stdin : streamNamedFile(path)
  try {
    for await (const chunk of source) yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const shown = file === '-' ? 'Standard input' : path
    throw new Failure('file_unreadable', `${shown} is not UTF-8 text.`, { details: { path: shown }, cause })
  }
}
