import type { Attachment } from './attachment.ts'
import { readAttachment } from './attachment.ts'
import type { Typed } from './chat-message.ts'
import { CHAT_HELP, readTyped, toMessageParts } from './chat-message.ts'
import type { ChatSession } from './chat-session.ts'
import type { ChatInput } from './chat-terminal.ts'
import type { CommandContext } from './command-context.ts'
import { toReport } from './failure.ts'
import { toVisibleLine } from './visible-text.ts'

/** Hears what comes in until it ends, the command is interrupted, or driving is impossible. Gives the exit code. */
export async function converse(context: CommandContext, session: ChatSession, input: ChatInput): Promise<number> {
  const { io, interruption } = context
  const conversation = new Conversation(context, session, input)
  // In a pipe nobody sees what is answered meanwhile.
  const answered = (): Promise<unknown> => (io.terminal === undefined ? Promise.race([session.rest(), session.failed]) : Promise.resolve())
  await session.open()
  await answered()
  input.ask()
  const interrupted = whenAborted(interruption.signal)
  const messages = input[Symbol.asyncIterator]()
  while (!interruption.signal.aborted) {
    const coming = messages.next()
    // Nobody may be left to hear what goes wrong with it.
    coming.catch(() => undefined)
    const next = await Promise.race([coming, interrupted, session.failed])
    if (next === undefined || next.done === true) break
    if ((await conversation.hear(next.value)) === 'end') break
    await answered()
  }
  await session.rest()
  await Promise.race([session.failed, Promise.resolve()])
  return interruption.signal.aborted ? interruption.exitCode : session.exitCode
}

class Conversation {
  readonly #context: CommandContext
  readonly #session: ChatSession
  readonly #input: ChatInput
  #attached: Attachment[] = []

  constructor(context: CommandContext, session: ChatSession, input: ChatInput) {
    this.#context = context
    this.#session = session
    this.#input = input
  }

  /** Does what was typed. A person is told what went wrong with it and goes on; in a pipe it ends the command. */
  async hear(text: string): Promise<'end' | undefined> {
    const { io, output, interruption } = this.#context
    const typed = readTyped(text, { cwd: io.cwd, byHand: io.terminal !== undefined })
    if (typed.kind === 'end') return 'end'
    try {
      await this.#do(typed)
    } catch (error) {
      if (io.terminal === undefined || interruption.isCause(error)) throw error
      output.fail(toReport(error))
    }
    this.#input.ask()
    return undefined
  }

  async #do(typed: Exclude<Typed, { kind: 'end' }>): Promise<void> {
    const { output } = this.#context
    switch (typed.kind) {
      case 'help':
        for (const line of CHAT_HELP) output.notice(line)
        return
      case 'unknown':
        output.notice(
          `There is no command ${typed.command}: nothing was sent. /help tells what there is; with a space before it it is a message.`
        )
        return
      case 'attach':
        for (const path of typed.paths) await this.#attach(path)
        return
      case 'message': {
        const parts = await toMessageParts(typed, this.#attached)
        await this.#session.say(parts, { interrupt: typed.interrupts === true })
        this.#attached = []
        return
      }
      case 'cancel':
        await this.#session.cancel(typed.reason)
    }
  }

  async #attach(path: string): Promise<void> {
    const attachment = await readAttachment(path)
    this.#attached.push(attachment)
    const { mediaType, bytes } = attachment
    this.#context.output.progress(`attached to the next message: ${toVisibleLine(path, 1000)} (${mediaType}, ${bytes} bytes)`)
  }
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}
