import { dirname, resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { StartOptions } from '@holdfast/runtime'
import { loadAgentFile } from '../agent-file.ts'
import type { AgentFile } from '../agent-file.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { createModels, loadAllTools, readConfiguration, readPrices } from '../configuration.ts'
import { driveToRest } from '../drive-to-rest.ts'
import { collect, name } from '../option-values.ts'
import { takeThread } from '../ownership.ts'
import { rehearse } from '../rehearsal.ts'
import { findConfigFile, findStore, prepareFolder } from '../store-location.ts'
import type { StoreLocation } from '../store-location.ts'
import { readTextArgument } from '../text-input.ts'
import { readMemo, toMemo, writeMemo } from '../thread-memo.ts'
import { parseVariables } from '../variables.ts'
import type { Durability, WorkspaceOptions } from '../workspace.ts'
import { openWorkspace } from '../workspace.ts'

interface RunOptions {
  readonly var: readonly string[]
  readonly model?: string
  readonly tools?: string
  readonly config?: string
  readonly idempotencyKey?: string
  readonly durability?: Durability
  readonly jsonl?: boolean
}

/** `holdfast run` */
export function runCommandOf(choose: Choose): Command {
  return new Command('run')
    .description('Starts an agent from its manifest and drives it until it rests.')
    .argument('<file>', 'the manifest of the agent: YAML or JSON')
    .argument('[prompt]', "the first message, in place of the manifest's `prompt`; - reads standard input")
    .option('--var <key=value>', 'sets a variable: text, JSON for other types, @file for what stands in a file (repeatable)', collect, [])
    .option('--model <name>', 'another model: provider/model, or a profile of the configuration', name)
    .option('--tools <file>', 'a module (.ts, .js, .mjs) that exports tools', name)
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
    .option('--idempotency-key <key>', 'the same key again finds the thread that it made', name)
    .addOption(
      new Option('--durability <level>', 'what a commit survives: a power cut, or only the death of the process').choices([
        'power',
        'process'
      ])
    )
    .option('--jsonl', 'one event a line as JSON, while it happens')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast run agent.yaml "Refund order 4711" --tools tools.ts
  $ holdfast run agent.yaml --var year=2026 --var rules=@rules.json
  $ git diff | holdfast run reviewer.yaml - --model anthropic/claude-sonnet-4-5 --json

The result goes to standard output, everything else to standard error; on a terminal answers are shown while they
come. Nothing is started before manifest, variables, tools and model have been checked.`
    )
    .action((file: string, prompt: string | undefined, options: RunOptions) =>
      choose((context) => runAgent(context, file, prompt, options), { mode: options.jsonl === true ? 'jsonl' : undefined })
    )
}

async function runAgent(context: CommandContext, file: string, prompt: string | undefined, options: RunOptions): Promise<number> {
  const { io } = context
  const { cwd, env } = io
  const manifest = resolve(cwd, file)
  const base = dirname(manifest)
  const configFile = options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config)
  const tools = options.tools === undefined ? undefined : resolve(cwd, options.tools)
  const agent = await loadAgentFile(manifest, { cwd, model: options.model })
  const start = await readStart(context, agent, prompt, options)
  const config = await readConfiguration(configFile)
  const location = findStore({ named: context.options.store, config, cwd, env })
  const drives = {
    tools: await loadAllTools(config, tools),
    models: await createModels(config, { base, io }),
    prices: await readPrices(config),
    durability: options.durability
  }
  await rehearse(agent.definition, start, drives)
  const memo = toMemo(base, { cwd, manifest, config: configFile, tools })
  return startAndDrive(context, location, agent, start, {
    ...drives,
    beforeCreate: (thread) => {
      if (readMemo(location, thread) === undefined) writeMemo(location, thread, memo)
    }
  })
}

async function readStart(
  context: CommandContext,
  agent: AgentFile,
  prompt: string | undefined,
  options: RunOptions
): Promise<StartOptions> {
  const { idempotencyKey } = options
  return {
    variables: parseVariables(options.var, agent.definition.variables ?? [], context.io.cwd),
    ...(prompt === undefined ? {} : { input: await readTextArgument(prompt, context.io) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  }
}

async function startAndDrive(
  context: CommandContext,
  location: StoreLocation,
  agent: AgentFile,
  start: StartOptions,
  drives: NonNullable<WorkspaceOptions['drives']>
): Promise<number> {
  prepareFolder(location)
  await using workspace = await openWorkspace(context, location, { drives })
  return await context.interruption.hold(async () => {
    const run = await workspace.runtime.start(agent.definition, start)
    context.output.progress(`thread ${run.thread}${run.created ? '' : ' (made before under this idempotency key)'}`)
    if (!run.created) await takeThread(run, context)
    return driveToRest(run, context, workspace)
  })
}
