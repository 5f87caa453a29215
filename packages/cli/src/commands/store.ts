import { resolve } from 'node:path'
import { Command } from 'commander'
import type { HoldfastError, Runtime, SqliteSizes, ThreadCheck } from '@holdfast/runtime'
import { renderBytes } from '../byte-size.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { Failure, isRuntimeError } from '../failure.ts'
import { loadRuntime } from '../libraries.ts'
import { listArtifactFolders } from '../store-artifacts.ts'
import { plural } from '../plural.ts'
import { toVisibleLine } from '../visible-text.ts'
import { locateExisting, openWorkspace } from '../workspace.ts'

const PAGE = 1000

/** `holdfast store` */
export function storeCommand(choose: Choose): Command {
  return new Command('store')
    .description('Looks after the store itself.')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast store check
  $ holdfast store backup ../holdfast-2026-11-30.db`
    )
    .addCommand(checkCommand(choose))
    .addCommand(backupCommand(choose))
    .addCommand(vacuumCommand(choose))
}

function checkCommand(choose: Choose): Command {
  return new Command('check')
    .description('Checks the file, every digest, and every row against the log that it follows from. Changes nothing.')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast store check
  $ holdfast store check --json --store ../holdfast-2026-11-30.db

Reads everything, so it takes a while for a large store; others may go on with it. Exit code 1: something is wrong.
With --json: { "file", "sizes", "threads", "commits", "problems": [...], "faulty": [{ "thread", "head", "problems" }],
"unchecked": [...] }; a thread that never stood still is unchecked.`
    )
    .action(() => choose(checkStore))
}

function backupCommand(choose: Choose): Command {
  return new Command('backup')
    .description('Copies the store into one file, while others go on with it.')
    .argument('<file>', 'where to; a file that is there is not replaced')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast store backup ../holdfast-2026-11-30.db
  $ holdfast threads --store ../holdfast-2026-11-30.db

A copy that is gone on with is another life of its threads: what they did after the backup is not known to it.
With --json: { "file", "bytes", "artifacts"? }; \`artifacts\` are folders that are not in the copy.`
    )
    .action((file: string) => choose((context) => backUp(context, file)))
}

function vacuumCommand(choose: Choose): Command {
  return new Command('vacuum')
    .description('Writes the file anew without free space, and empties its write-ahead log.')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast store vacuum

Needs as much space again while it runs; others wait meanwhile. With --json: { "file", "before", "after" }.`
    )
    .action(() => choose(vacuum))
}

async function checkStore(context: CommandContext): Promise<number> {
  const { output } = context
  const { checkSqliteFile } = await loadRuntime()
  const location = await locateExisting(context, 'bodies')
  const file = await checkSqliteFile(location.path)
  for (const problem of file.problems) output.result(`file: ${toVisibleLine(problem, 500)}`)
  await using workspace = await openWorkspace(context, location)
  const found = { threads: 0, commits: 0, faulty: [] as ThreadCheck[], unchecked: [] as string[] }
  for await (const check of checkThreads(workspace.runtime)) {
    found.threads += 1
    if ('busy' in check) found.unchecked.push(check.busy)
    else {
      found.commits += check.head
      if (check.problems.length > 0) found.faulty.push(check)
      for (const { message } of check.problems) output.result(`${check.thread}: ${toVisibleLine(message, 500)}`)
    }
  }
  const { threads, commits, faulty, unchecked } = found
  output.document({ file: location.path, sizes: file.sizes, threads, commits, problems: file.problems, faulty, unchecked })
  for (const thread of unchecked) output.notice(`${thread} never stood still and was not checked.`)
  output.progress(`${location.path}: ${renderSizes(file.sizes)}`)
  const isWell = file.problems.length === 0 && faulty.length === 0
  const verdict = isWell
    ? 'all is well'
    : `${plural(file.problems.length, 'problem')} of the file, ${plural(faulty.length, 'thread')} with problems`
  output.result(`${plural(threads, 'thread')}, ${plural(commits, 'commit')}: ${verdict}`)
  return isWell ? EXIT.completed : EXIT.failed
}

async function* checkThreads(runtime: Runtime): AsyncGenerator<ThreadCheck | { readonly busy: string }> {
  for (let after: string | undefined; ; ) {
    const page = await runtime.threads({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    for (const { id } of page.items) yield await checkThread(runtime, id)
    if (page.next === undefined) return
    after = page.next
  }
}

async function checkThread(runtime: Runtime, id: string): Promise<ThreadCheck | { readonly busy: string }> {
  try {
    return await runtime.thread(id).verify()
  } catch (error) {
    if (!isRuntimeError(error)) throw error
    if (error.code === 'thread_busy') return { busy: id }
    // Removed since the list was read.
    if (error.code === 'thread_not_found') return { thread: id, head: 0, problems: [] }
    return { thread: id, head: 0, problems: [{ what: 'log', message: error.message }] }
  }
}

async function backUp(context: CommandContext, given: string): Promise<number> {
  const { output, io } = context
  const { backupSqliteFile } = await loadRuntime()
  const location = await locateExisting(context, 'bodies')
  const file = resolve(io.cwd, given)
  const { bytes } = await backupSqliteFile(location.path, file).catch((error: unknown) => {
    throw isRuntimeError(error) && error.code === 'conflict' ? toTaken(error) : error
  })
  const artifacts = listArtifactFolders(location)
  output.document({ file, bytes, ...(artifacts.length === 0 ? {} : { artifacts }) })
  output.result(`${file}: ${renderBytes(bytes)}`)
  for (const folder of artifacts) output.notice(`Large bodies lie in ${toVisibleLine(folder, 1000)}: copy it, too, and afterwards.`)
  return EXIT.completed
}

function toTaken({ code, message, details }: HoldfastError): Failure {
  return new Failure(code, `${message}.`, { details, remedy: 'Name another file, or move that one away.' })
}

async function vacuum(context: CommandContext): Promise<number> {
  const { output } = context
  const { vacuumSqliteFile } = await loadRuntime()
  const { path } = await locateExisting(context, 'bodies')
  const { before, after } = await vacuumSqliteFile(path)
  output.document({ file: path, before, after })
  output.result(`${path}: ${renderSizes(before)} before, ${renderSizes(after)} now`)
  return EXIT.completed
}

function renderSizes({ file, wal, free }: SqliteSizes): string {
  return `${renderBytes(file + wal)}${free === 0 ? '' : ` (${renderBytes(free)} free)`}`
}
