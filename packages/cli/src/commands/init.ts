import { lstatSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { Failure } from '../failure.ts'
import { toInstallLine } from '../own-packages.ts'
import type { ProjectFile } from '../project-template.ts'
import { readTemplate, TEMPLATES, writeProjectFile } from '../project-template.ts'
import { toShellWord } from '../shell-word.ts'
import { toVisibleLine } from '../visible-text.ts'

interface InitOptions {
  readonly example: string
}

/** `holdfast init` */
export function initCommand(choose: Choose): Command {
  return new Command('init')
    .description('Makes a project that runs at once, without a key. Overwrites nothing.')
    .argument('[dir]', 'the folder, made when it is not there', '.')
    .addOption(new Option('--example <name>', 'which one to begin with').choices(TEMPLATES).default('starter'))
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast init my-agent
  $ holdfast init desk --example support

starter reads notes and writes a summary; support talks with a customer about an order. Each has a configuration, an
agent, a script in place of a model, typed tools and a test. With --json: { "folder", "example", "files", "next" }.`
    )
    .action((dir: string, options: InitOptions) => choose((context) => makeProject(context, dir, options)))
}

async function makeProject({ output, io }: CommandContext, dir: string, { example }: InitOptions): Promise<number> {
  const folder = resolve(io.cwd, dir)
  const files = readTemplate(example, folder)
  refuseConflicts(folder, files)
  for (const file of files) write(folder, file)
  const next = [...(folder === io.cwd ? [] : [`cd ${toShellWord(relative(io.cwd, folder))}`]), toInstallLine(), 'npm start', 'npm test']
  output.document({ folder, example, files: files.map(({ path }) => path), next })
  for (const { path } of files) output.progress(`made ${toVisibleLine(join(dir, path), 1000)}`)
  output.result(`A project that runs without a key stands in ${toVisibleLine(folder, 1000)}. Next:`)
  for (const line of next) output.result(`  ${line}`)
  output.result('Its model is a script; holdfast.config.yaml says how to take a real one, .env.example where its key belongs.')
  return EXIT.completed
}

function refuseConflicts(folder: string, files: readonly ProjectFile[]): void {
  const taken = findFile(folder)
  if (taken !== undefined) {
    throw new Failure('invalid_input', `${taken} is a file, and the project needs a folder.`, {
      details: { path: taken },
      remedy: 'Nothing was written. Name another folder.'
    })
  }
  const conflicts = files.map(({ path }) => path).filter((path) => isTaken(join(folder, path)))
  if (conflicts.length === 0) return
  throw new Failure('conflict', `${folder} has files of these names already: ${conflicts.join(', ')}.`, {
    details: { folder, conflicts },
    remedy: 'Nothing was written. Name another folder, or move these away.'
  })
}

/** Of a path the part that is there and no folder. */
function findFile(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false })
    if (stats !== undefined) return stats.isDirectory() ? undefined : at
    if (dirname(at) === at) return undefined
  }
}

function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function write(folder: string, file: ProjectFile): void {
  try {
    writeProjectFile(folder, file)
  } catch (cause) {
    const path = join(folder, file.path)
    throw new Failure('output_unwritable', `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      details: { path },
      remedy: 'Name a folder that you may write to.',
      cause
    })
  }
}
