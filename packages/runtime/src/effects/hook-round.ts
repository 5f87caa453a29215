// Keeps I9: a hook that throws, hangs, is stopped or answers something else has failed, and whoever asks refuses. I14: what is recorded holds no secret.
import type { Fact, FactOf } from '../contracts/fact.ts'
import type { Hook, HookContext } from '../contracts/hook.ts'
import type { Json, JsonObject } from '../contracts/json.ts'
import { toJsonCopy } from '../manifest/json-value.ts'
import type { PluginOwner } from '../manifest/plugin-owner.ts'
import type { PluginValues } from '../state/plugin-values.ts'
import { copyJson } from '../util/copy-json.ts'
import { isPromise } from '../util/promise.ts'
import { cutText } from '../util/well-formed.ts'
import { callHook } from './call-hook.ts'
import type { EffectPorts } from './ports.ts'
import type { LedgerPlace, OpenState } from './plugin-state.ts'
import { NO_STATE, StateLedger } from './plugin-state.ts'
import type { HookPoint, PreparedHook } from './prepared-hooks.ts'

type Recorded = FactOf<'hook.recorded'>

/** What hooks are asked with. */
export interface HookPorts extends Pick<EffectPorts, 'clock' | 'logger' | 'secrets'> {
  readonly signal: AbortSignal
  /** What plugins keep, as it was when this began. */
  readonly plugins: PluginValues | null
}

/** What they are asked about. */
export type HookSubject = { readonly thread: string } & Pick<Recorded, 'scope' | 'call' | 'turn' | 'item'> & { readonly run: string }

/** What an answer did: null when it changes nothing. `over`: nobody else is asked. */
export type HookDeed =
  | { readonly did: Exclude<Recorded['did'], 'failed'>; readonly overlay?: Json; readonly over?: true }
  | { readonly fault: string }
  | null

/** One question to hooks. */
export interface HookQuestion<Answer> {
  readonly on: HookPoint
  /** Calls the hook with a copy of what stands now. */
  ask(hook: Hook, context: HookContext): unknown
  /** A text says what is wrong with it. */
  read(answer: JsonObject): Answer | string
  apply(hook: string, answer: Answer): HookDeed | Promise<HookDeed>
}

const MAX_ERROR_LENGTH = 2_000

/** Asks hooks one after another, until one of them ends it. */
export class HookRound<Answer> {
  /** The one that could not judge. */
  failed: string | null = null
  readonly #question: HookQuestion<Answer>
  readonly #about: HookSubject
  readonly #ports: HookPorts
  readonly #records: Recorded[] = []
  #ledger: StateLedger | null = null
  #isOver = false

  constructor(question: HookQuestion<Answer>, about: HookSubject, ports: HookPorts) {
    this.#question = question
    this.#about = about
    this.#ports = ports
  }

  /** What they did, and what plugins keep from now on. */
  get records(): readonly Fact[] {
    return this.#ledger === null ? this.#records : [...this.#records, ...this.#ledger.facts()]
  }

  async pass(hooks: readonly PreparedHook[]): Promise<void> {
    for (const each of hooks) if (!this.#isOver) await this.#ask(each)
  }

  async #ask({ hook, options, owner }: PreparedHook): Promise<void> {
    const { clock, logger, signal } = this.#ports
    const { thread, run } = this.#about
    const own = owner === undefined ? null : this.#stateOf(owner)
    const told = { thread, run, logger, state: own?.state ?? NO_STATE, ...(options === undefined ? {} : { options: copyJson(options) }) }
    const reply = await callHook(hook, (stop) => this.#question.ask(hook, { ...told, signal: stop }), { clock, signal })
    const deed = reply.ok ? this.#read(hook.name, reply.value) : { fault: reply.error }
    this.#note(hook.name, isPromise(deed) ? await deed : deed, own)
  }

  #read(hook: string, value: unknown): HookDeed | Promise<HookDeed> {
    if (value === undefined || value === null) return null
    const copy = toJsonCopy(value)
    if (!copy.ok) return { fault: `its answer is no data: ${copy.message}` }
    // A list and a value have no act: they are read as an answer that says nothing of what may be said.
    const answer = this.#question.read(isObject(copy.value) ? copy.value : {})
    return typeof answer === 'string' ? { fault: answer } : this.#question.apply(hook, answer)
  }

  #stateOf(owner: PluginOwner): OpenState {
    const { plugins, secrets } = this.#ports
    this.#ledger ??= new StateLedger(plugins, toPlace(this.#about), secrets)
    return this.#ledger.open(owner)
  }

  #note(hook: string, deed: HookDeed, own: OpenState | null): void {
    if (deed === null) return own?.keep()
    if ('fault' in deed) {
      own?.drop()
      return this.#fail(hook, deed.fault)
    }
    own?.keep()
    this.#record(hook, deed.did, deed.overlay)
    this.#isOver ||= deed.over === true
  }

  #fail(hook: string, error: string): void {
    this.#record(hook, 'failed', { error: cutText(this.#ports.secrets.redact(error), MAX_ERROR_LENGTH) })
    this.failed = hook
    this.#isOver = true
  }

  #record(hook: string, did: Recorded['did'], overlay?: Json): void {
    const { thread: _, ...about } = this.#about
    const seen = overlay === undefined ? {} : { overlay: { inline: overlay } }
    this.#records.push({ v: 1, type: 'hook.recorded', hook, on: this.#question.on, did, ...about, ...seen })
  }
}

function toPlace({ run, scope = '', call }: HookSubject): LedgerPlace {
  return { run, scope, ...(call === undefined ? {} : { call }) }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
