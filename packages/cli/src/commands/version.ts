import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { ownVersion, versionOfManifest } from '../package-version.ts'

/** `holdfast version` */
export function versionCommand(choose: Choose): Command {
  return new Command('version')
    .description('Shows the versions of the packages, of Node and of SQLite.')
    .addHelpText('after', '\nExamples:\n  $ holdfast version\n  $ holdfast version --json')
    .action(() => choose(showVersions))
}

async function showVersions({ output }: CommandContext): Promise<number> {
  const versions = {
    holdfast: ownVersion(),
    '@holdfast/runtime': versionOf('@holdfast/runtime'),
    '@holdfast/config': versionOf('@holdfast/config'),
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? 'unknown',
    platform: `${process.platform} ${process.arch}`
  }
  output.document(versions)
  for (const line of toColumns(Object.entries(versions))) output.result(line)
  return EXIT.completed
}

function versionOf(name: string): string {
  return versionOfManifest(readFileSync(new URL(import.meta.resolve(`${name}/package.json`)), 'utf8'))
}
