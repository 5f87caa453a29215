import { resolve } from 'node:path'
import { Command } from 'commander'
import type { ToolDescriptor } from '@holdfast/runtime'
import { loadAgentFile } from '../agent-file.ts'
import { loadAgentCode, toToolNames } from '../agent-tools.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { readConfiguration } from '../configuration.ts'
import { EXIT } from '../exit-code.ts'
import { loadRuntime } from '../libraries.ts'
import { name } from '../option-values.ts'
import { findConfigFile } from '../store-location.ts'
import { toJsonText, toVisibleLine, toVisibleText } from '../visible-text.ts'

interface ToolsOptions {
  readonly tools?: string
  readonly config?: string
}

/** `holdfast tools` */
export function toolsCommand(choose: Choose): Command {
  return new Command('tools')
    .description('Shows the tools of an agent as its model sees them, and what a repeat of each does. Asks no model, writes nothing.')
    .argument('<file>', 'the manifest of the agent: YAML or JSON')
    .option('--tools <file>', 'a module (.ts, .mts, .js, .mjs) that exports tools, plugins or hooks', name)
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast tools agent.yaml --tools tools.ts
  $ holdfast tools agent.yaml --json

With --json: { "agent", "publication", "tools" }; each tool with its identity, JSON Schema, effect, time limit and version.`
    )
    .action((file: string, options: ToolsOptions) => choose((context) => showTools(context, file, options)))
}

async function showTools({ output, io }: CommandContext, file: string, options: ToolsOptions): Promise<number> {
  const { cwd } = io
  const { definition } = await loadAgentFile(resolve(cwd, file), { cwd })
  const config = await readConfiguration(options.config === undefined ? findConfigFile(cwd) : resolve(cwd, options.config))
  const named = options.tools === undefined ? undefined : resolve(cwd, options.tools)
  const code = await loadAgentCode({ config, named, ...toToolNames(definition), tell: (line) => output.progress(line) })
  const { createRuntime, memoryStore } = await loadRuntime()
  await using store = memoryStore()
  await using runtime = createRuntime({ store, ...code, concurrency: 0 })
  const { digest, definition: frozen } = await runtime.publish(definition)
  output.document({ agent: frozen.name, publication: digest, tools: frozen.tools })
  if (frozen.tools.length === 0) output.progress('The agent has no tools.')
  for (const [index, tool] of frozen.tools.entries()) {
    if (index > 0) output.result('')
    for (const line of describeTool(tool)) output.result(line)
  }
  return EXIT.completed
}

const EFFECTS: { readonly [effect in ToolDescriptor['effect']]: string } = {
  read: 'read: changes nothing, runs again after a crash',
  idempotent: 'idempotent: runs again after a crash, under the same key',
  once: 'once: never started a second time'
}

const OF_PLUGINS = 'plugin:'

function describeTool({
  name: tool,
  identity,
  description,
  inputSchema,
  effect,
  timeoutMs,
  parallelSafe
}: ToolDescriptor): readonly string[] {
  const { $schema: _, ...schema } = inputSchema
  return [
    toVisibleLine(tool),
    `  ${toVisibleText(description.trim()).replaceAll('\n', '\n  ')}`,
    ...(identity.startsWith(OF_PLUGINS) ? [`  plugin  ${identity.slice(OF_PLUGINS.length, identity.lastIndexOf('/'))}`] : []),
    `  effect  ${EFFECTS[effect]}`,
    `  limit   ${timeoutMs} ms${parallelSafe ? '' : ', never beside other calls'}`,
    `  input   ${toVisibleText(toJsonText(schema, 2)).replaceAll('\n', '\n          ')}`
  ]
}
