import { Option } from 'commander'
import type { Approver, ApproveMode } from './approver.ts'
import { createApprover } from './approver.ts'
import { createAskWords } from './ask-words.ts'
import type { CommandContext } from './command-context.ts'
import { readProject } from './configuration.ts'
import { Failure, isRuntimeError } from './failure.ts'
import type { LinePrompt } from './line-prompt.ts'
import { createLinePrompt } from './line-prompt.ts'
import { findConfigFile } from './store-location.ts'
import type { Workspace } from './workspace.ts'

/** What a command may say about calls that are held while it drives. */
export interface ApprovalOption {
  readonly approve?: ApproveMode
}

/** The option that says it. */
export function approveOption(): Option {
  return new Option(
    '--approve <mode>',
    'what is done about a held call: ask here, leave it waiting (never), or approve it without asking (always) (default: ask at a terminal, else never)'
  ).choices(['ask', 'never', 'always'])
}

/** Throws `invalid_input` where a person is to be asked whom nobody can ask. */
export function assertAskable({ approve }: ApprovalOption, { io, output }: CommandContext): void {
  if (approve !== 'ask' || (io.terminal !== undefined && output.mode === 'text')) return
  throw new Failure('invalid_input', '--approve ask needs a terminal to ask at, and no --json or --jsonl.', {
    remedy: 'Leave it out: what is held waits for `holdfast approve`.'
  })
}

/** Decides about what is held while a thread is driven, as the option says. A conversation asks where it reads its messages. */
export async function openApprover(
  context: CommandContext,
  { runtime }: Workspace,
  { approve }: ApprovalOption,
  conversation?: LinePrompt
): Promise<Approver> {
  const { io, output } = context
  const canAsk = io.terminal !== undefined && output.mode === 'text'
  const prompt = canAsk && io.terminal !== undefined ? (conversation ?? createLinePrompt(io.terminal)) : undefined
  const asks = createAskWords({
    permissions: async () => (await readProject(context, findConfigFile(io.cwd)).catch(() => undefined))?.config.permissions ?? [],
    async publication(thread) {
      try {
        return await runtime.thread(thread).publication()
      } catch (error) {
        if (isRuntimeError(error)) return null
        throw error
      }
    }
  })
  return createApprover(context, { runtime, mode: approve ?? (canAsk ? 'ask' : 'never'), prompt, asks })
}
