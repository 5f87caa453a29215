import type { Command } from 'commander'
import type { Choose } from './command-context.ts'
import { name } from './option-values.ts'

/** Adds the options of commands that drive an existing thread. `when` stands before the help of those that hold only sometimes. */
export function addDriveOptions(command: Command, { when = '' }: { readonly when?: string } = {}): Command {
  return command
    .option('--tools <file>', `${when}the module with its tools (default: the one that it was started with)`, name)
    .option('--config <file>', `${when}the runtime configuration (default: the one that it was started with)`, name)
    .option('--jsonl', 'one event a line as JSON, while it happens')
}

/** The shape of standard output that `--jsonl` asks for. */
export function toMode({ jsonl }: { readonly jsonl?: boolean }): NonNullable<Parameters<Choose>[1]> {
  return { mode: jsonl === true ? 'jsonl' : undefined }
}
