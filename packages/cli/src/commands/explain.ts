import { Command } from 'commander'
import type { Choose, CommandContext } from '../command-context.ts'
import { againOf } from '../drive-to-rest.ts'
import { toDriving } from '../driving.ts'
import { EXIT } from '../exit-code.ts'
import { explain } from '../explanation.ts'
import { readSituation } from '../read-situation.ts'
import { toShellWord } from '../shell-word.ts'
import { parseThreadId } from '../thread-id.ts'
import { openExisting } from '../workspace.ts'

/** `holdfast explain` */
export function explainCommand(choose: Choose): Command {
  return new Command('explain')
    .description('Says in a sentence or two why a thread waits or stopped, who owns it, and what to do next.')
    .argument('<thread>', 'its id')
    .addHelpText(
      'after',
      `
Examples:
  $ holdfast explain thr_0123456789abcdef
  $ holdfast explain thr_0123456789abcdef --json

With --json: { "thread", "status", "driving", "why"?, "explanation", "next": [command lines] }.`
    )
    .action((thread: string) => choose((context) => explainThread(context, parseThreadId(thread))))
}

async function explainThread(context: CommandContext, id: string): Promise<number> {
  const { output } = context
  await using workspace = await openExisting(context)
  const situation = await readSituation(workspace.runtime, id)
  const { text, next } = explain(situation)
  const { status, why } = situation.info.row
  const again = againOf(id, context)
  const lines = next.map(({ command, wait, rest }) => {
    const line = wait === undefined ? again(command) : againOf(toShellWord(wait), context)(command)
    return rest === undefined ? line : `${line} ${rest}`
  })
  output.document({
    thread: id,
    status,
    driving: toDriving(situation.info, situation),
    ...(why === undefined ? {} : { why }),
    explanation: text,
    next: lines
  })
  output.result(text)
  for (const line of lines) output.result(`  ${line}`)
  return EXIT.completed
}
