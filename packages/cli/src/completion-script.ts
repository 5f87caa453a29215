import type { Command, Option } from 'commander'

/** The shells that a script can be made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A script that completes the words of a program in a shell: commands, options, and values that are one of a few. Files otherwise. */
export function toCompletionScript(program: Command, shell: Shell): string {
  const nodes = toNodes(program, [])
  return shell === 'fish' ? toFish(program.name(), nodes) : toPosix(program.name(), nodes, DIALECTS[shell])
}

/** A command by the words that lead to it. */
interface Node {
  readonly path: readonly string[]
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly NodeOption[]
  /** A command line that lists what its argument may be: ids of waits. */
  readonly lists?: string
}

interface NodeOption {
  readonly flags: readonly string[]
  readonly about: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

function toNodes(command: Command, path: readonly string[], shared: readonly NodeOption[] = []): readonly Node[] {
  const own = command
    .createHelp()
    .visibleOptions(command)
    .map((option) => toOption(option))
  const below = command.commands.filter((each) => each.name() !== 'help')
  const forAll = path.length === 0 ? own.filter(({ flags }) => !flags.includes('--version') && !flags.includes('--help')) : shared
  const node = {
    path,
    commands: below.map((each) => ({ name: each.name(), about: each.description() })),
    options: path.length === 0 ? own : [...own, ...shared],
    ...toLists(command)
  }
  return [node, ...below.flatMap((each) => toNodes(each, [...path, each.name()], forAll))]
}

/** Commands that are about a wait offer those that they can be about. */
function toLists(command: Command): Pick<Node, 'lists'> {
  if (!command.registeredArguments.some((argument) => argument.name() === 'wait')) return {}
  const kinds: { readonly [name: string]: string } = { approve: ' --kind approval', deny: ' --kind approval', answer: ' --kind question' }
  return { lists: `${command.parent?.name() ?? 'holdfast'} waits --ids${kinds[command.name()] ?? ''}` }
}

function toOption({ short, long, description, required, optional, argChoices }: Option): NodeOption {
  return {
    flags: [short, long].flatMap((flag) => flag ?? []),
    about: description,
    takesValue: required || optional,
    choices: argChoices ?? []
  }
}

/** What bash and zsh call differently; the rest of a script is the same. */
interface Dialect {
  begin(name: string): string
  /** The word that is completed, the one before it, and those between them and the program. */
  readonly current: string
  readonly previous: string
  readonly words: string
  offer(words: string): string
  /** Offers each line that a command writes. */
  offerLines(command: string): string
  /** Files may follow. */
  readonly files: string
  end(name: string): string
}

const DIALECTS: { readonly [shell in 'bash' | 'zsh']: Dialect } = {
  bash: {
    begin: () => '',
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell's own
    current: '${COMP_WORDS[COMP_CWORD]}',
    previous: '${COMP_WORDS[COMP_CWORD-1]}',
    words: '${COMP_WORDS[@]:1:COMP_CWORD-1}',
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell's own
    offer: (words) => `COMPREPLY=($(compgen -W ${quote(words)} -- "$current"))`,
    // A colon ends a word in bash: what stands before the last one is there already, and is not offered again.
    offerLines: (command) =>
      `local typed="$current" before=''; ` +
      `if [[ "$COMP_WORDBREAKS" == *:* && -n "$COMP_LINE" ]]; then typed="\${COMP_LINE:0:COMP_POINT}"; typed="\${typed##* }"; before="\${typed%"\${typed##*:}"}"; fi; ` +
      `COMPREPLY=($(compgen -W "$(${command} 2>/dev/null)" -- "$typed")); COMPREPLY=("\${COMPREPLY[@]#"$before"}")`,
    // The shell does it itself when nothing is offered.
    files: 'COMPREPLY=()',
    end: (name) => `complete -o default -F _${name} ${name}\n`
  },
  zsh: {
    begin: (name) => `#compdef ${name}\n`,
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell's own
    current: '${words[CURRENT]}',
    previous: '${words[CURRENT-1]}',
    words: '${(@)words[2,CURRENT-1]}',
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell's own
    offer: (words) => `compadd -- ${words}`,
    offerLines: (command) => `compadd -- \${(f)"$(${command} 2>/dev/null)"}`,
    files: '_files',
    // Sourced, or loaded by its name when it is first needed.
    end: (name) => `if [ "$funcstack[1]" = _${name} ]; then _${name} "$@"; else compdef _${name} ${name}; fi\n`
  }
}

function toPosix(name: string, nodes: readonly Node[], dialect: Dialect): string {
  const commands = nodes.flatMap(({ path, commands: below }) => below.map((each) => [...path, each.name].join(' ')))
  return `${dialect.begin(name)}_${name}() {
  local current="${dialect.current}" previous="${dialect.previous}" at='' word
  for word in "${dialect.words}"; do
    case "\${at:+$at }$word" in
      ${commands.map((path) => quote(path)).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at:$previous" in
${nodes.flatMap((node) => toValueCases(node, dialect)).join('\n')}
  esac
  case "$at" in
${nodes.map((node) => toWordCase(node, dialect)).join('\n')}
  esac
}
${dialect.end(name)}`
}

/** What may stand behind an option: one of a few, or a file. */
function toValueCases({ path, options }: Node, { offer, files }: Dialect): readonly string[] {
  const at = (flags: readonly string[]): string => flags.map((flag) => quote([path.join(' '), flag].join(':'))).join('|')
  const valued = options.filter(({ takesValue }) => takesValue)
  const chosen = valued.filter(({ choices }) => choices.length > 0)
  const free = valued.filter(({ choices }) => choices.length === 0).flatMap(({ flags }) => flags)
  return [
    ...chosen.map(({ flags, choices }) => `    ${at(flags)}) ${offer(choices.join(' '))}; return ;;`),
    ...(free.length === 0 ? [] : [`    ${at(free)}) ${files}; return ;;`])
  ]
}

/** Words that may follow. Where there are no commands, options only when one has been begun: before that it may be a file. */
function toWordCase({ path, commands, options, lists }: Node, { offer, offerLines, files }: Dialect): string {
  const flags = options.flatMap((option) => option.flags).join(' ')
  const at = quote(path.join(' '))
  if (commands.length > 0) return `    ${at}) ${offer(`${commands.map((each) => each.name).join(' ')} ${flags}`)} ;;`
  return `    ${at}) if [[ "$current" == -* ]]; then ${offer(flags)}; else ${lists === undefined ? files : offerLines(lists)}; fi ;;`
}

function toFish(name: string, nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const at = `complete -c ${name} -n ${quote(toFishCondition(node))}`
    return [
      ...node.commands.map((each) => `${at} -f -a ${quote(each.name)} -d ${quote(each.about)}`),
      ...(node.lists === undefined ? [] : [`${at} -f -a ${quote(`(${node.lists} 2>/dev/null)`)}`]),
      ...node.options.map((option) => `${at} ${toFishOption(option)}`)
    ]
  })
  return `${lines.join('\n')}\n`
}

function toFishCondition({ path, commands }: Node): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const names = commands.map((each) => each.name).join(' ')
  return [...seen, ...(names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`])].join('; and ')
}

function toFishOption({ flags, about, takesValue, choices }: NodeOption): string {
  const named = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : ''
  return `${named.join(' ')}${value} -d ${quote(about)}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
