import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { ArtifactEntry, Runtime } from '@holdfast/runtime'
import { ageOfDays } from '../age.ts'
import { renderBytes } from '../byte-size.ts'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { name, toOutputFile, wholeNumber } from '../option-values.ts'
import { plural } from '../plural.ts'
import { writeWhole } from '../whole-file.ts'
import { openExisting } from '../workspace.ts'

const DAY_MS = 86_400_000

interface ListOptions {
  readonly limit: number
  readonly after?: string
}

/** `holdfast artifacts` */
export function artifactsCommand(choose: Choose): Command {
  return new Command('artifacts')
    .description('Lists what was too large for the log: bodies of messages, answers and results, by their digests.')
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1000), 50)
    .option('--after <cursor>', 'go on behind this place, as the page before says', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast artifacts
  $ holdfast artifacts get 3f2a91 -o result.json
  $ holdfast artifacts gc --dry-run

With --json: { "items": [{ "digest", "bytes", "at", "threads", "thread" }], "next": "..." }; \`threads\` says how many
threads use it, \`at\` when it was last put.`
    )
    .action((options: ListOptions) => choose((context) => listArtifacts(context, options)))
    .addCommand(getCommand(choose))
    .addCommand(collectCommand(choose))
}

function getCommand(choose: Choose): Command {
  return new Command('get')
    .description('Writes one out, as it stands in the store: JSON.')
    .argument('<digest>', 'its digest, or the first digits of it')
    .option('-o, --output <file>', 'where to write (default, and -: standard output)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast artifacts get sha256:3f2a91 -o result.json
  $ holdfast artifacts get 3f2a91 | jq .value

On a terminal nothing in it takes effect: control characters are shown. With --json and -o: { "digest", "file", "bytes" }.`
    )
    .action((digest: string, options: { readonly output?: string }) => choose((context) => getArtifact(context, digest, options)))
}

function collectCommand(choose: Choose): Command {
  return new Command('gc')
    .description('Removes those that no thread uses: of threads that were removed, or left by a process that died.')
    .addOption(
      new Option('--older-than <age>', 'only those that were not put for as long, a day at least')
        .default(DAY_MS, '1d')
        .argParser(ageOfDays)
    )
    .option('--dry-run', 'only say how much it would be')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast artifacts gc
  $ holdfast artifacts gc --older-than 2w --dry-run

What a thread uses is never removed. A file of SQLite keeps its size: \`holdfast store vacuum\` gives it back.
With --json: { "artifacts", "bytes", "dryRun" }.`
    )
    .action((options: { readonly olderThan: number; readonly dryRun?: boolean }) =>
      choose((context) => collectArtifacts(context, { olderThanMs: options.olderThan, dryRun: options.dryRun === true }))
    )
}

async function listArtifacts(context: CommandContext, { limit, after }: ListOptions): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const page = await workspace.runtime.artifacts.list({ limit, ...(after === undefined ? {} : { after }) })
  output.document(page)
  if (page.items.length === 0) output.progress('No artifacts.')
  for (const line of toColumns(page.items.map(toRow))) output.result(line)
  if (page.next !== undefined) output.progress(`There are more: --after ${page.next}`)
  return EXIT.completed
}

function toRow({ digest, bytes, at, threads, thread }: ArtifactEntry): readonly string[] {
  const others = threads > 1 ? ` and ${threads - 1} more` : ''
  return [digest, renderBytes(bytes), new Date(at).toISOString(), thread === undefined ? 'not used' : `${thread}${others}`]
}

async function getArtifact(context: CommandContext, given: string, options: { readonly output?: string }): Promise<number> {
  const { output, io } = context
  const named = toOutputFile(options.output)
  if (named === undefined && output.mode === 'json') {
    throw new Failure('invalid_input', 'An artifact is a document by itself, and --json gives another one.', {
      remedy: 'Leave --json out, or name a file with -o.'
    })
  }
  await using workspace = await openExisting(context)
  const digest = await findDigest(workspace.runtime, given)
  const bytes = await workspace.runtime.artifacts.get(digest)
  if (named === undefined) {
    const text = toText(bytes, digest)
    if (output.live) output.result(text)
    else output.raw(text)
    return EXIT.completed
  }
  const file = resolve(io.cwd, named)
  const written = await writeWhole(file, [bytes])
  output.document({ digest, file, bytes: written.bytes })
  output.progress(`wrote ${file}: ${renderBytes(written.bytes)}`)
  return EXIT.completed
}

async function findDigest({ artifacts }: Runtime, given: string): Promise<string> {
  const [, digits = ''] = /^(?:sha256:)?([0-9a-f]{1,64})$/.exec(given) ?? []
  if (digits === '') {
    throw new Failure('invalid_input', 'Expected a digest: sha256: and 64 hexadecimal digits, or the first of them.', {
      remedy: '`holdfast artifacts` lists them.'
    })
  }
  const digest = `sha256:${digits}`
  if (digits.length === 64) return digest
  const { items } = await artifacts.list({ after: digest, limit: 2 })
  const [found, other] = items.filter((item) => item.digest.startsWith(digest))
  if (found !== undefined && other === undefined) return found.digest
  const why = found === undefined ? 'No artifact begins' : 'Several artifacts begin'
  throw new Failure(found === undefined ? 'artifact_missing' : 'invalid_input', `${why} with ${digest}.`, {
    details: { digest },
    remedy: '`holdfast artifacts` lists them.'
  })
}

function toText(bytes: Uint8Array, digest: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Failure('invalid_input', `The artifact ${digest} is no text.`, {
      details: { digest },
      remedy: 'Name a file with -o.',
      cause
    })
  }
}

async function collectArtifacts(
  context: CommandContext,
  options: { readonly olderThanMs: number; readonly dryRun: boolean }
): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const { artifacts, bytes } = await workspace.runtime.artifacts.collect(options)
  output.document({ artifacts, bytes, dryRun: options.dryRun })
  output.result(`${options.dryRun ? 'would remove' : 'removed'} ${plural(artifacts, 'artifact')}, ${renderBytes(bytes)}`)
  return EXIT.completed
}
