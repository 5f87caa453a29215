import type { Command } from 'commander'
import type { Choose } from './command-context.ts'
import { name } from './option-values.ts'
import { timeoutOption } from './time-limit.ts'

/** What a command says about how it drives. */
export interface TermOptions {
  readonly jsonl?: boolean
  readonly timeout?: number
}

/** Adds the options of commands that drive an existing thread. `when` stands before the help of those that hold only sometimes. */
export function addDriveOptions(command: Command, { when = '' }: { readonly when?: string } = {}): Command {
  return command
    .option('--tools <file>', `${when}the module with its tools (default: the one that it was started with)`, name)
    .option('--config <file>', `${when}the runtime configuration (default: the one that it was started with)`, name)
    .addOption(timeoutOption())
    .option('--jsonl', 'one event a line as JSON, while it happens')
}

/** The shape of standard output that `--jsonl` asks for, and the time that `--timeout` gives. */
export function toTerms({ jsonl, timeout }: TermOptions): NonNullable<Parameters<Choose>[1]> {
  return { mode: jsonl === true ? 'jsonl' : undefined, timeoutMs: timeout }
}
