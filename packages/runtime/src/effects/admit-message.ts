// Keeps I9: a message that hooks are to look at is seen as they leave it; one that fails sends it back. Those of the host look first, and last where those
// of the definition have changed something.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Action, Running } from '../contracts/heart.ts'
import type { HookedMessage, OnMessage } from '../contracts/hook.ts'
import type { RunId } from '../contracts/ids.ts'
import type { Part } from '../contracts/message.ts'
import type { InboxItem } from '../contracts/store.ts'
import type { State } from '../state/state.ts'
import { isActive } from '../state/state.ts'
import type { MessageBody } from '../state/take.ts'
import { copyJson } from '../util/copy-json.ts'
import { cutText } from '../util/well-formed.ts'
import type { Act } from './hook-answer.ts'
import { BLOCK, readAnswer, withText } from './hook-answer.ts'
import { startHooks } from './hook-effect.ts'
import type { HookDeed, HookPorts, HookQuestion } from './hook-round.ts'
import { HookRound } from './hook-round.ts'
import type { EffectPorts } from './ports.ts'
import { redactParts } from './redact-parts.ts'

const ACTS: { readonly [act in OnMessage['do']]: Act } = { modify: withText('text'), block: BLOCK }
const MAX_REASON_LENGTH = 2_000
/** What a hook may put in place of a message. */
const MAX_TEXT_BYTES = 262_144

type Said = Pick<FactOf<'message.admitted'>, 'seen' | 'error'>

/** Has hooks look at a message. Never throws; ends in exactly one `done`. */
export function performAdmit(
  { scope, item }: Extract<Action, { do: 'admit' }>,
  state: State,
  done: (facts: readonly Fact[]) => void,
  ports: EffectPorts
): Running {
  // Read off before anything is awaited: the driver goes on changing the state.
  const { thread, publication, plugins } = state
  const run = isActive(state) ? state.run?.id : undefined
  const about = { thread, run: run ?? runOf(item), scope, item: item.id }
  const toAdmitted = (said: Said): Fact => ({ v: 1, type: 'message.admitted', scope, item: item.id, ...said })
  const admit = async (signal: AbortSignal): Promise<readonly Fact[]> => {
    const { onMessage } = await ports.prepared(publication)
    const { host, definition } = onMessage ?? { host: [], definition: [] }
    const asked = { ...ports, signal, plugins }
    const question = new MessageQuestion(item, asked)
    const round = new HookRound(question, about, asked)
    await round.pass(host)
    const before = question.parts
    await round.pass(definition)
    // The host has the last word: what it has let pass is not what stands there now.
    if (question.parts !== before) await round.pass(host)
    const said = round.failed === null ? question.say() : toFailed(round.failed)
    return [...round.records.map(toRunless), toAdmitted(said)]
  }
  return startHooks(admit, done, (error) => {
    const why = ports.secrets.redact(String(error instanceof Error ? error.message : error))
    return [toAdmitted({ error: { code: 'hook_failed', message: `the message could not be checked: ${why}` } })]
  })
}

function runOf({ body }: InboxItem): RunId {
  return (body as unknown as MessageBody).run
}

/** The message is the thread's: the run that is under way may be over before its hooks have looked, and no fact names one that is. */
function toRunless({ run: _, ...fact }: Fact): Fact {
  return fact
}

function toFailed(hook: string): Said {
  return { error: { code: 'hook_failed', message: `the hook ${hook} could not check the message` } }
}

/** What a message looks like by now. */
class MessageQuestion implements HookQuestion<OnMessage> {
  readonly on = 'onMessage'
  parts: readonly Part[]
  readonly #item: InboxItem
  readonly #given: readonly Part[]
  readonly #ports: HookPorts
  #error: Said['error']

  constructor(item: InboxItem, ports: HookPorts) {
    this.#item = item
    this.#given = (item.body as unknown as MessageBody).parts
    this.#ports = ports
    this.parts = this.#given
  }

  ask: HookQuestion<OnMessage>['ask'] = (hook, context) => {
    const { id, kind, from } = this.#item
    const shown: HookedMessage = {
      ...{ item: id, kind: kind as HookedMessage['kind'], source: from },
      ...{ text: textIn(this.parts), parts: this.parts }
    }
    return hook.onMessage?.(copyJson(shown), context)
  }

  read: HookQuestion<OnMessage>['read'] = (answer) => readAnswer<OnMessage>(answer, ACTS)

  apply(hook: string, answer: OnMessage): HookDeed {
    const { secrets } = this.#ports
    if (answer.do === 'block') {
      const reason = cutText(secrets.redact(answer.reason), MAX_REASON_LENGTH)
      this.#error = { code: 'hook_blocked', message: `the hook ${hook} blocked the message: ${reason}` }
      return { did: 'block', overlay: { reason }, over: true }
    }
    const { text } = answer
    if (text === textIn(this.parts)) return null
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return { fault: `its text has more than ${MAX_TEXT_BYTES} bytes` }
    const others = this.parts.filter(({ type }) => type !== 'text')
    this.parts = redactParts([{ type: 'text', text }, ...others], secrets)
    return { did: 'modify', overlay: { text: textIn(this.parts) } }
  }

  /** What is left of the message. */
  say(): Said {
    if (this.#error !== undefined) return { error: this.#error }
    return this.parts === this.#given ? {} : { seen: { inline: this.parts } }
  }
}

function textIn(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
