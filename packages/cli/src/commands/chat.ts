import { resolve } from 'node:path'
import type { ThreadHandle } from '@holdfast/runtime'
import { Command } from 'commander'
import { findDifferences } from '../agent-difference.ts'
import { loadAgentFile } from '../agent-file.ts'
import type { LaunchOptions } from '../agent-launch.ts'
import { openLaunch, prepareLaunch } from '../agent-launch.ts'
import type { ApprovalOption } from '../approve-option.ts'
import { approveOption, assertAskable, openApprover } from '../approve-option.ts'
import { CHAT_HELP } from '../chat-message.ts'
import type { ChatOptions } from '../chat-session.ts'
import { ChatSession } from '../chat-session.ts'
import type { ChatInput } from '../chat-terminal.ts'
import { createTerminalInput } from '../chat-terminal.ts'
import type { Choose, CommandContext } from '../command-context.ts'
import { converse } from '../conversation.ts'
import { Failure } from '../failure.ts'
import { MessageLines, readInputLines } from '../input-lines.ts'
import { openThread } from '../open-thread.ts'
import type { TermOptions } from '../drive-options.ts'
import { toTerms } from '../drive-options.ts'
import { addLaunchOptions } from '../launch-options.ts'
import { assertKept } from '../next-run.ts'
import { rehearse } from '../rehearsal.ts'
import { toShellWord } from '../shell-word.ts'
import { parseThreadId } from '../thread-id.ts'
import { timeoutOption } from '../time-limit.ts'
import { toVisibleLine } from '../visible-text.ts'
import type { TranscriptEntry } from '../transcript.ts'
import { readTranscript, renderEntry } from '../transcript.ts'

interface TalkOptions extends LaunchOptions, ApprovalOption, TermOptions {}

/** How much of a conversation that is gone on with is shown again. */
const ENTRIES_SHOWN = 8

/** `holdfast chat` */
export function chatCommand(choose: Choose): Command {
  return addLaunchOptions(
    new Command('chat')
      .description('Talks with an agent, over one thread that outlives the conversation.')
      .argument('<file>', 'the manifest of the agent: YAML or JSON')
      .argument('[thread]', 'goes on with this thread, with the definition that it was started with')
  )
    .addOption(approveOption())
    .addOption(timeoutOption())
    .option('--jsonl', 'one event a line as JSON, while it happens')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast chat agent.yaml
  $ holdfast chat agent.yaml thr_0123456789abcdef
  $ printf 'Hello\\nIt is about order 4711\\n' | holdfast chat agent.yaml

${CHAT_HELP.join('\n')}

In a pipe every line is a message, answered before the next one is read. The exit code is that of the last run.`
    )
    .action((file: string, thread: string | undefined, options: TalkOptions) =>
      choose((context) => chat(context, file, thread, options), toTerms(options))
    )
}

async function chat(context: CommandContext, file: string, given: string | undefined, options: TalkOptions): Promise<number> {
  if (context.output.mode === 'json') {
    throw new Failure('invalid_input', '--json gives one document, and a conversation has no end.', { remedy: 'Use --jsonl.' })
  }
  assertAskable(options, context)
  const opened = await (given === undefined ? openNew(context, file, options) : openOld(context, file, parseThreadId(given), options))
  await using _ = opened.workspace
  const store = context.options.store === undefined ? '' : ` --store ${toShellWord(context.options.store)}`
  const again = (thread: string): string => `holdfast chat ${toShellWord(file)} ${thread}${store}`
  return await context.interruption.hold(async () => {
    const entries = opened.thread === undefined || context.io.terminal === undefined ? [] : await readTranscript(opened.thread)
    using input = openInput(context, entries)
    const session = new ChatSession(context, {
      ...opened,
      again,
      onBusy: (isBusy) => input.setBusy(isBusy),
      // Anew for each drive: what was put off is asked about again when the agent is spoken to.
      openApprover: () => openApprover(context, opened.workspace, options, input)
    })
    const code = await converse(context, session, input)
    const { aborted } = context.interruption.signal
    // Whoever let go of a thread that was driven has been told.
    if (session.thread !== undefined && !(aborted && session.exitCode === code)) {
      const line = `Go on with: ${again(session.thread.id)}`
      if (aborted) context.output.notice(line)
      else context.output.progress(line)
    }
    return code
  })
}

type Opened = Pick<ChatOptions, 'workspace' | 'thread' | 'start'>

async function openNew(context: CommandContext, file: string, options: TalkOptions): Promise<Opened> {
  const launch = await prepareLaunch(context, file, options)
  const { agent, variables, drives } = launch
  // The first message is not known yet; whatever else is wrong is found before anybody types one.
  const filed = options.label === undefined ? {} : { labels: options.label }
  await rehearse(agent.definition, { ...filed, variables, input: 'hello' }, drives, { secrets: await context.secrets.registry() })
  const workspace = await openLaunch(context, launch)
  return { workspace, start: (input) => workspace.runtime.start(agent.definition, { ...filed, variables, input }) }
}

async function openOld(context: CommandContext, file: string, id: string, options: TalkOptions): Promise<Opened> {
  assertKept(options)
  const { cwd } = context.io
  const { workspace, thread } = await openThread(id, context, options)
  await tellDifferences(context, file, { thread, cwd })
  return { workspace, thread, start: () => Promise.resolve(thread) }
}

/** Whoever has changed the file would wait in vain for what it says now. That the file is gone or broken is no reason not to talk. */
async function tellDifferences(
  { output }: CommandContext,
  file: string,
  { thread, cwd }: { readonly thread: ThreadHandle; readonly cwd: string }
): Promise<void> {
  const agent = await loadAgentFile(resolve(cwd, file), { cwd }).catch(() => undefined)
  if (agent === undefined) return
  const fields = await findDifferences(agent.definition, (await thread.publication()).definition)
  if (fields.length === 0) return
  output.progress(
    `${toVisibleLine(file, 1000)} differs from what ${thread.id} was started with (${fields.join(', ')}): the thread keeps its own. A new one has what the file says.`
  )
}

function openInput(context: CommandContext, entries: readonly TranscriptEntry[]): ChatInput {
  const { io, output } = context
  if (io.terminal === undefined) return createPipeInput(context)
  if (entries.length > ENTRIES_SHOWN) output.progress(output.paint(`... ${entries.length - ENTRIES_SHOWN} entries before`, 'dim'))
  for (const entry of entries.slice(-ENTRIES_SHOWN)) output.result(renderEntry(entry))
  output.progress(output.paint('A line is a message; /help tells more; Ctrl-D ends.', 'dim'))
  const said = entries.flatMap((entry) => (entry.role === 'message' && !entry.text.includes('\n') ? [entry.text] : []))
  return createTerminalInput(io.terminal, output, said.toReversed())
}

/** Every line is a message. */
function createPipeInput({ io }: CommandContext): ChatInput {
  return {
    async *[Symbol.asyncIterator]() {
      const lines = new MessageLines()
      for await (const line of readInputLines(io)) {
        const message = lines.push(line)
        if (message !== undefined) yield message
      }
      const last = lines.end()
      if (last !== undefined) yield last
    },
    setBusy: () => undefined,
    ask: () => undefined,
    question: () => Promise.resolve(null),
    [Symbol.dispose]: () => undefined
  }
}
