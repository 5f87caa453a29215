import { Argument, Command } from 'commander'
import type { Choose } from '../command-context.ts'
import type { Shell } from '../completion-script.ts'
import { SHELLS, toCompletionScript } from '../completion-script.ts'
import { EXIT } from '../exit-code.ts'

/** `holdfast completion` */
export function completionCommand(choose: Choose): Command {
  return new Command('completion')
    .description('Prints a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell that is to read it').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(holdfast completion bash)
  $ holdfast completion zsh > "\${fpath[1]}/_holdfast"
  $ holdfast completion fish > ~/.config/fish/completions/holdfast.fish`
    )
    .action((shell: Shell, _options: unknown, command: Command) =>
      choose(async ({ output }) => {
        const script = toCompletionScript(command.parent ?? command, shell)
        output.result(script)
        output.document({ shell, script })
        return EXIT.completed
      })
    )
}
