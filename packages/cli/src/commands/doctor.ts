import { resolve } from 'node:path'
import { Command } from 'commander'
import { toColumns } from '../columns.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import type { Project } from '../configuration.ts'
import { listProvidersOf, readProject } from '../configuration.ts'
import { EXIT } from '../exit-code.ts'
import type { HealthCheck } from '../health-check.ts'
import { checkAgents, checkKeys, checkPrograms, checkStore, toFailed } from '../health-check.ts'
import { name } from '../option-values.ts'
import { reachProviders } from '../reach-model.ts'
import { findConfigFile } from '../store-location.ts'
import { toVisibleLine } from '../visible-text.ts'

interface DoctorOptions {
  readonly config?: string
  readonly reach?: boolean
}

/** `holdfast doctor` */
export function doctorCommand(choose: Choose): Command {
  return new Command('doctor')
    .description('Looks whether everything is there: Node, the configuration, the store, keys. Changes nothing.')
    .option('--reach', 'also ask each provider that a profile names for one word; costs a few tokens')
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast doctor
  $ holdfast doctor --reach --json

The exit code is 1 when something does not work. What is only missing (a key) is told, and is no failure.
With --json: { "checks": [{ "name", "state", "detail", "remedy" }] }; a state is ok, missing or failed.`
    )
    .action((options: DoctorOptions) => choose((context) => examine(context, options)))
}

async function examine(context: CommandContext, options: DoctorOptions): Promise<number> {
  const { output } = context
  const checks = await runChecks(context, options)
  output.document({ checks })
  const rows = toColumns(checks.map(({ name: what, state, detail }) => [state, toVisibleLine(what), toLines(detail)[0] ?? '']))
  for (const [index, { state, detail, remedy }] of checks.entries()) {
    output.result(rows[index] ?? '')
    for (const line of toLines(detail).slice(1)) output.result(`  ${line.trimStart()}`)
    if (state !== 'ok' && remedy !== undefined) output.result(`  ${remedy}`)
  }
  return checks.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.completed
}

/** What is wrong with a file is told in several lines. */
function toLines(detail: string): readonly string[] {
  return detail.split('\n').map((line) => toVisibleLine(line, 2000))
}

async function runChecks(given: CommandContext, options: DoctorOptions): Promise<readonly HealthCheck[]> {
  const { cwd } = given.io
  const checks = [...checkPrograms()]
  const { config, context } = await read(
    given,
    () => (options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config)),
    checks
  )
  checks.push(...(await checkAgents(config)), ...(await checkStore(config, context)))
  const providers = await listProvidersOf(config, context.io)
  checks.push(...checkKeys(config, providers))
  if (options.reach === true) checks.push(...(await reachProviders(config, providers, context)))
  return checks
}

/** A configuration that cannot be read is told; the rest is looked at without it. */
async function read(context: CommandContext, find: () => string | undefined, checks: HealthCheck[]): Promise<Project> {
  try {
    const file = find()
    const project = await readProject(context, file)
    checks.push({ name: 'configuration', state: 'ok', detail: file ?? 'there is none, and none is needed' })
    return project
  } catch (error) {
    checks.push(toFailed('configuration', error))
    return readProject(context, undefined)
  }
}
