// Keeps I4 for state: what a plugin sets is a fact of the commit in which its call, or its hook, ends, and nothing before that. I14: it holds no secret.
import { HoldfastError } from '../contracts/errors.ts'
import type { FactOf } from '../contracts/fact.ts'
import type { CallId, RunId, Scope } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { PluginState, StateKey } from '../contracts/plugin-state.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import { toJsonCopy } from '../manifest/json-value.ts'
import type { OwnedState, PluginOwner } from '../manifest/plugin-owner.ts'
import { MAX_STATE_BYTES } from '../manifest/plugin-owner.ts'
import type { PluginValues } from '../state/plugin-values.ts'
import { valueIn } from '../state/plugin-values.ts'

const refuse = (): never => {
  throw new HoldfastError('invalid_input', 'only tools and hooks that a plugin gives have state: this one is of no plugin')
}

/** The state of what is of no plugin. */
export const NO_STATE: PluginState = Object.freeze({ get: refuse, set: refuse, reset: refuse })

/** One reader and writer of the state of a plugin, until it is kept or dropped: what it has set then stands in the ledger, or nowhere. */
export interface OpenState {
  readonly state: PluginState
  keep(): void
  drop(): void
}

/** Where an effect writes from. */
export interface LedgerPlace {
  readonly run: RunId
  readonly scope: Scope
  readonly call?: CallId
}

/** Undefined: the key has its initial value again. */
type Written = Map<string, Json | undefined>

/** What plugins set in one effect, on top of what was committed when it began. */
export class StateLedger {
  readonly #values: PluginValues | null
  readonly #place: LedgerPlace
  readonly #secrets: SecretRegistry
  readonly #written = new Map<string, Written>()

  constructor(values: PluginValues | null, place: LedgerPlace, secrets: SecretRegistry) {
    this.#values = values
    this.#place = place
    this.#secrets = secrets
  }

  open(owner: PluginOwner): OpenState {
    const own: Written = new Map()
    let isOver = false
    const find = (key: StateKey<unknown, unknown>): OwnedState => {
      if (isOver)
        throw new HoldfastError(
          'invalid_input',
          `the state of the plugin ${owner.name} was asked for after the call, or the hook, was over`
        )
      return findKey(owner, key)
    }
    const state: PluginState = {
      get: <Output>(key: StateKey<unknown, Output>): Output =>
        toOutput(owner, key.key, find(key), this.#current(owner, own, key.key)) as Output,
      set: (key, value) => {
        const owned = find(key)
        own.set(key.key, this.#check(owner, own, { key: key.key, owned, value }))
      },
      reset: (key) => {
        find(key)
        own.set(key.key, undefined)
      }
    }
    return {
      state,
      keep: () => {
        if (!isOver) for (const [key, value] of own) this.#writtenBy(owner.name).set(key, value)
        isOver = true
      },
      drop: () => {
        isOver = true
      }
    }
  }

  /** What was kept, as facts: each key once. */
  facts(): readonly FactOf<'state.set'>[] {
    return [...this.#written].flatMap(([owner, values]) =>
      [...values].map(([key, value]) => ({
        v: 1,
        type: 'state.set' as const,
        ...this.#place,
        owner,
        key,
        value: value === undefined ? null : { inline: value }
      }))
    )
  }

  #writtenBy(name: string): Written {
    const written = this.#written.get(name) ?? new Map<string, Json | undefined>()
    this.#written.set(name, written)
    return written
  }

  #current(owner: PluginOwner, own: Written, key: string): Json {
    const written = own.has(key) ? own : this.#written.get(owner.name)
    const value = written?.has(key) ? written.get(key) : valueIn(this.#values, owner.name, key)
    return value === undefined ? (owner.state.get(key)?.initial ?? null) : value
  }

  #check(
    owner: PluginOwner,
    own: Written,
    { key, owned, value }: { readonly key: string; readonly owned: OwnedState; readonly value: unknown }
  ): Json {
    const copy = toJsonCopy(value)
    if (!copy.ok) throw new HoldfastError('invalid_input', `${what(owner, key)} was set to what is no JSON: ${copy.message}`)
    toOutput(owner, key, owned, copy.value)
    const text = JSON.stringify(copy.value)
    if (this.#secrets.size > 0 && this.#secrets.has(text)) {
      throw new HoldfastError('invalid_input', `${what(owner, key)} was set to what holds a secret: keep a reference to it instead`)
    }
    const others = [...owner.state.keys()].filter((each) => each !== key).map((each) => JSON.stringify(this.#current(owner, own, each)))
    const bytes = [text, ...others].reduce((sum, each) => sum + Buffer.byteLength(each), 0)
    if (bytes <= MAX_STATE_BYTES) return copy.value
    throw new HoldfastError(
      'value_too_large',
      `the state of the plugin ${owner.name} would have ${bytes} bytes, at most ${MAX_STATE_BYTES} fit`,
      {
        details: { bytes, limit: MAX_STATE_BYTES }
      }
    )
  }
}

function findKey(owner: PluginOwner, { key }: StateKey<unknown, unknown>): OwnedState {
  const owned = owner.state.get(key)
  if (owned !== undefined) return owned
  throw new HoldfastError(
    'invalid_input',
    `the plugin ${owner.name} keeps no state under "${String(key).slice(0, 100)}": it is none of its parts`
  )
}

function toOutput(owner: PluginOwner, key: string, { check }: OwnedState, value: Json): unknown {
  const checked = check(value)
  if (checked instanceof Promise) throw new HoldfastError('invalid_input', `the schema of ${what(owner, key)} cannot judge at once`)
  if (checked.ok) return checked.input
  throw new HoldfastError('invalid_input', `${what(owner, key)} does not fit its schema: ${checked.errors}`)
}

function what({ name }: PluginOwner, key: string): string {
  return `the state ${key} of the plugin ${name}`
}
