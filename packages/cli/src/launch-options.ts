import type { Command } from 'commander'
import { grant } from './grant-option.ts'
import { label } from './label-option.ts'
import { collect, name } from './option-values.ts'

/** Adds the options that say how an agent of a file is started. */
export function addLaunchOptions(command: Command): Command {
  return command
    .option('--var <key=value>', 'sets a variable: text, JSON for other types, @file for what stands in a file (repeatable)', collect, [])
    .option('--label <key=value>', 'files the thread under this: lists are filtered by it (repeatable)', label)
    .option(
      '--grant <field=value>',
      'grants this beside the configuration: files.read=./docs, network=api.example.com, tools=host:pay (repeatable)',
      grant
    )
    .option('--model <name>', 'another model: provider/model, or a profile of the configuration', name)
    .option('--tools <file>', 'a module (.ts, .mts, .js, .mjs) that exports tools, plugins or hooks', name)
    .option('--config <file>', 'the runtime configuration (default: holdfast.config.yaml of the project)', name)
}
