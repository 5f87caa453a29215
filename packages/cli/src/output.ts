import { styleText } from 'node:util'
import type { CommandIo, TextSink } from './command-io.ts'
import type { CommandSecrets } from './command-secrets.ts'
import type { Report } from './failure.ts'
import { toJsonText, toVisibleText } from './visible-text.ts'

/** The shape of standard output: text for people, one JSON document, or one JSON value a line. */
export type OutputMode = 'text' | 'json' | 'jsonl'

/** How the command is to speak. */
export interface OutputOptions {
  readonly mode: OutputMode
  readonly quiet: boolean
  readonly color: boolean
}

type Style = 'red' | 'yellow' | 'green' | 'cyan' | 'dim' | 'bold'

/** What `paint` puts around a text. */
const OWN_STYLE = /(\u001b\[(?:1|2|22|3[1236]|39)m)/

/** The only place that writes: results to standard output, everything else to standard error. */
export class Output {
  readonly mode: OutputMode
  readonly #io: CommandIo
  readonly #options: OutputOptions
  readonly #secrets: Pick<CommandSecrets, 'redact'> | undefined
  /** Whether streamed text has left the cursor inside a line of the terminal. */
  #inLine = false
  /** Whether the one document has been written. */
  #hasDocument = false
  /** What is kept back while a person types. */
  #held: (() => void)[] | undefined

  constructor(io: CommandIo, options: OutputOptions, secrets?: Pick<CommandSecrets, 'redact'>) {
    this.mode = options.mode
    this.#io = io
    this.#options = options
    this.#secrets = secrets
  }

  /** Whether text is shown while it comes: a person looks at standard output. */
  get live(): boolean {
    return this.mode === 'text' && this.#io.stdout.isTTY === true
  }

  /** The result in text mode: as it is into a file or a pipe, made visible on a terminal. */
  result(text: string): void {
    if (this.mode !== 'text') return
    this.breakLine()
    const shown = this.live ? toVisibleText(text) : text
    this.#write(this.#io.stdout, shown.endsWith('\n') ? shown : `${shown}\n`)
  }

  /** A piece of a file that goes to standard output as it is, in every mode. It must be harmless on a terminal by itself. */
  raw(text: string): void {
    this.#write(this.#io.stdout, text)
  }

  /** The one document of `--json`. */
  document(value: unknown): void {
    if (this.mode !== 'json' || this.#hasDocument) return
    this.#hasDocument = true
    this.#write(this.#io.stdout, `${toJsonText(value, 2)}\n`)
  }

  /** One value of `--jsonl`. */
  line(value: unknown): void {
    if (this.mode === 'jsonl') this.#write(this.#io.stdout, `${toJsonText(value)}\n`)
  }

  /** A piece of an answer, while it comes. Only when `live`. */
  stream(text: string): void {
    if (!this.live || text === '') return
    const shown = toVisibleText(text)
    this.#write(this.#io.stdout, shown)
    this.#inLine = !shown.endsWith('\n')
  }

  /** Ends the line of streamed text, if one is open. */
  breakLine(): void {
    if (this.#inLine) this.#write(this.#io.stdout, '\n')
    this.#inLine = false
  }

  /** Keeps back what is written from now on, so that a person can type in peace. */
  hold(): void {
    if (this.#held !== undefined) return
    this.breakLine()
    this.#held = []
  }

  /** Writes what was kept back, and goes on. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const write of held) write()
  }

  /** Progress: nothing that a script needs. Left out by `--quiet`. */
  progress(line: string): void {
    if (!this.#options.quiet) this.#error(line)
  }

  /** What code of the user writes by itself: never among the results, and harmless on a terminal. */
  stray(text: string): void {
    this.breakLine()
    this.#write(this.#io.stderr, this.#io.stderr.isTTY === true ? toVisibleText(text) : text)
  }

  /** What a person must know to go on. Also with `--quiet`. */
  notice(line: string): void {
    this.#error(line)
  }

  /** Why the command ends without a result. */
  fail(report: Report): void {
    const label = this.paint(`error[${report.code}]`, 'red')
    this.#error(`${label}: ${toVisibleText(report.message)}`)
    if (report.remedy !== undefined) this.#error(`  ${toVisibleText(report.remedy)}`)
    this.document({ error: { code: report.code, message: report.message, details: report.details } })
  }

  /** Colour for standard error, where a person looks at it and has not refused it. */
  paint(text: string, style: Style): string {
    return this.#colors(this.#io.stderr) ? styleText(style, text, { validateStream: false }) : text
  }

  #colors(sink: TextSink): boolean {
    const { env } = this.#io
    return this.#options.color && sink.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  }

  #error(line: string): void {
    this.breakLine()
    this.#write(this.#io.stderr, `${toVisible(line, this.#colors(this.#io.stderr))}\n`)
  }

  #write(sink: TextSink, text: string): void {
    const shown = this.#secrets?.redact(text) ?? text
    if (this.#held === undefined) sink.write(shown)
    else this.#held.push(() => sink.write(shown))
  }
}

/** A line of which nothing steers the terminal but what was painted here. */
function toVisible(line: string, isPainted: boolean): string {
  if (!isPainted) return toVisibleText(line)
  return line
    .split(OWN_STYLE)
    .map((piece) => (OWN_STYLE.test(piece) ? piece : toVisibleText(piece)))
    .join('')
}
