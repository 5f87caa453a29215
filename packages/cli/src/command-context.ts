import type { CommandIo } from './command-io.ts'
import type { CommandSecrets } from './command-secrets.ts'
import type { Interruption } from './interruption.ts'
import type { Output, OutputMode } from './output.ts'

/** Options that every command has. */
export interface SharedOptions {
  readonly store?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color: boolean
}

/** What a command is given to do its work. */
export interface CommandContext {
  readonly io: CommandIo
  readonly output: Output
  readonly secrets: CommandSecrets
  readonly options: SharedOptions
  readonly interruption: Interruption
}

/** The work of a command; its value is the exit code. */
export type Task = (context: CommandContext) => Promise<number>

/** Called by a command's parser with what is to be done. */
export type Choose = (task: Task, terms?: { readonly mode?: OutputMode | undefined; readonly timeoutMs?: number | undefined }) => void
