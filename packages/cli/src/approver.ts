// Keeps I12: a person who sees what would run says what becomes of it; whatever is no answer leaves the wait open.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decision, DecisionReceipt, Runtime, WaitRow } from '@holdfast/runtime'
import type { AskWords } from './ask-words.ts'
import type { CommandContext } from './command-context.ts'
import { toReport } from './failure.ts'
import type { LinePrompt } from './line-prompt.ts'
import { renderReceipt } from './render-receipt.ts'
import type { Said } from './wait-keys.ts'
import {
  EDIT_PROMPT,
  HELP_LINES,
  KEYS_PROMPT,
  OUTCOME_HELP_LINES,
  OUTCOME_PROMPT,
  QUESTION_PROMPT,
  readAnswer,
  readDenial,
  readEdited,
  readKey,
  readOutcomeKey,
  readResult,
  REASON_PROMPT,
  RESULT_PROMPT,
  toPrefill
} from './wait-keys.ts'
import { describeWait, toWaitLine } from './wait-text.ts'

/** What is done about calls that are held: asked about, approved, or left. */
export type ApproveMode = 'ask' | 'always' | 'never'

/** Decides about waits while a thread is driven. */
export interface Approver {
  /** Whether something has been decided, here or by somebody else, so that the thread goes on. */
  decide(waits: readonly WaitRow[]): Promise<boolean>
}

/** What an approver works with. */
export interface ApproverOptions {
  readonly runtime: Runtime
  readonly mode: ApproveMode
  /** Where a person is asked; absent: nobody can be. */
  readonly prompt: LinePrompt | undefined
  readonly asks: AskWords
}

/** How often it is looked whether somebody else has decided. */
const LOOK_MS = 500

/** Makes an approver. */
export function createApprover(context: CommandContext, options: ApproverOptions): Approver {
  return new TerminalApprover(context, options)
}

type Outcome = 'decided' | 'later' | 'gone'

class TerminalApprover implements Approver {
  readonly #context: CommandContext
  readonly #options: ApproverOptions
  /** What nobody is asked about again in this drive. */
  readonly #later = new Set<string>()

  constructor(context: CommandContext, options: ApproverOptions) {
    this.#context = context
    this.#options = options
  }

  async decide(waits: readonly WaitRow[]): Promise<boolean> {
    const open = waits.filter(({ id, kind, state }) => state === 'open' && HEADS[kind] !== undefined && !this.#later.has(id))
    let goesOn = false
    for (const [index, wait] of open.entries()) {
      const outcome = await this.#decideOne(wait, open.length === 1 ? '' : ` (${index + 1} of ${open.length})`)
      if (outcome !== 'decided') this.#later.add(wait.id)
      if (outcome !== 'later') goesOn = true
      if (this.#context.interruption.signal.aborted) return false
    }
    return goesOn
  }

  async #decideOne(wait: WaitRow, place: string): Promise<Outcome> {
    const { mode, prompt } = this.#options
    const { output } = this.#context
    if (mode === 'always' && wait.kind === 'approval') {
      output.notice(`approved without asking (--approve always): ${toWaitLine(wait)}`)
      return (await this.#say(wait, { decision: 'approve' })) ?? 'later'
    }
    return mode === 'never' || prompt === undefined ? 'later' : this.#ask(wait, prompt, place)
  }

  async #ask(wait: WaitRow, prompt: LinePrompt, place: string): Promise<Outcome> {
    const { output } = this.#context
    const asks = await this.#options.asks(wait)
    output.notice('')
    output.notice(output.paint(`${HEADS[wait.kind] ?? ''}${place}`, 'bold'))
    for (const line of describeWait(wait, { asks })) output.notice(`  ${line}`)
    await using watch = this.#watch(wait)
    for (;;) {
      const said = await this.#read(wait, prompt, watch.signal)
      const outcome = said === null ? this.#leave(watch.signal) : await this.#hear(wait, said, asks)
      if (outcome !== undefined) return outcome
    }
  }

  /** Does what was said. Undefined: nothing is decided, and the person says something else. */
  async #hear(wait: WaitRow, said: Said, asks: readonly string[]): Promise<Outcome | undefined> {
    const { output } = this.#context
    if (typeof said === 'object' && 'decision' in said) return this.#say(wait, said)
    if (said === 'later') return 'later'
    const lines =
      said === 'whole'
        ? describeWait(wait, { asks, whole: true }).map((line) => `  ${line}`)
        : said === 'help'
          ? wait.kind === 'outcome'
            ? OUTCOME_HELP_LINES
            : HELP_LINES
          : [said.problem]
    for (const line of lines) output.notice(line)
    return undefined
  }

  async #read(wait: WaitRow, prompt: LinePrompt, signal: AbortSignal): Promise<Said | null> {
    const ask = async (text: string, prefill?: string): Promise<string | null> =>
      prompt.question(text, prefill === undefined ? { signal } : { signal, prefill })
    if (wait.kind === 'question') return readNext(await ask(QUESTION_PROMPT), (line) => readAnswer(wait, line), ask)
    if (wait.kind === 'outcome') return readNext(await ask(OUTCOME_PROMPT), readOutcomeKey, ask)
    const said = await readNext(await ask(KEYS_PROMPT), readKey, ask)
    if (said !== 'edit') return said
    const edited = await ask(EDIT_PROMPT, toPrefill(wait))
    return edited === null ? null : readEdited(edited)
  }

  /** Undefined: it does not fit, and is asked for again. */
  async #say(wait: WaitRow, decision: Decision): Promise<Outcome | undefined> {
    const { output } = this.#context
    try {
      const receipt = await this.#options.runtime.decide(wait.id, decision)
      output.notice(renderReceipt(receipt))
      return OUTCOMES[receipt.state]
    } catch (error) {
      output.fail(toReport(error))
      return 'later'
    }
  }

  #leave(signal: AbortSignal): Outcome {
    if (signal.reason !== DECIDED) return 'later'
    this.#context.output.notice('Somebody else has decided.')
    return 'gone'
  }

  /** Aborts when the command is interrupted, or somebody else has decided. */
  #watch(wait: WaitRow): AsyncDisposable & { readonly signal: AbortSignal } {
    const gone = new AbortController()
    const over = new AbortController()
    const looking = this.#lookForDecision(wait, gone, over.signal)
    return {
      signal: AbortSignal.any([gone.signal, this.#context.interruption.signal]),
      [Symbol.asyncDispose]: async () => {
        over.abort()
        await looking
      }
    }
  }

  async #lookForDecision(wait: WaitRow, gone: AbortController, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await sleep(LOOK_MS, undefined, { signal: over }).catch(() => undefined)
      if (over.aborted) return
      const open = await this.#options.runtime.waits({ thread: wait.thread }).catch(() => undefined)
      if (open?.items.every(({ id, state }) => id !== wait.id || state !== 'open') === true) return gone.abort(DECIDED)
    }
  }
}

/** What further a word asks for: the reason of a refusal, the result of what happened. */
async function readNext<Word extends Said | 'edit'>(
  line: string | null,
  read: (line: string) => Word | 'deny' | 'happened',
  ask: (text: string) => Promise<string | null>
): Promise<Word | Said | null> {
  if (line === null) return null
  const said = read(line)
  if (said !== 'deny' && said !== 'happened') return said
  const more = await ask(said === 'deny' ? REASON_PROMPT : RESULT_PROMPT)
  if (more === null) return null
  return said === 'deny' ? readDenial(more) : readResult(more)
}

/** What is asked about at a terminal: the rest is decided elsewhere. */
const HEADS: { readonly [kind: string]: string } = {
  approval: 'A call is held',
  question: 'The agent asks',
  outcome: 'Nobody knows whether a call happened',
  quarantine: 'The run was set aside: approve to try it again'
}
const DECIDED = 'decided'

/** What each answer of the store means for the thread; undefined: the person says something else. */
const OUTCOMES: { readonly [state in DecisionReceipt['state']]: Outcome | undefined } = {
  accepted: 'decided',
  counted: 'later',
  repeated: 'gone',
  conflict: 'gone',
  expired: 'gone',
  closed: 'gone',
  unknown: 'gone',
  invalid: undefined
}
