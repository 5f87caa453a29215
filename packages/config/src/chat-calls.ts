import type { JsonFollower } from './json-progress.ts'
import { createJsonFollower, startsStructure } from './json-progress.ts'

/** A piece of a call as a server sent it; any field may be missing. */
export interface CallFragment {
  readonly id: string | undefined
  readonly index: number | undefined
  readonly name: string | undefined
  readonly arguments: string
  /** What else stands in it, such as signatures of thoughts. */
  readonly extra: { readonly [field: string]: unknown }
}

/** A piece of a call as the API's description has it: numbered, with id and name in the first piece and only there. */
export interface ChatCallDelta {
  readonly index: number
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name?: string; readonly arguments: string }
  readonly [extra: string]: unknown
}

type Call = {
  readonly position: number
  id: string | undefined
  name: string | undefined
  index: number | undefined
  json: JsonFollower
  readonly pieces: string[]
  /** What came before the name, which has to be sent first. */
  held: string
  extra: { readonly [field: string]: unknown }
}

/**
 * Puts the pieces of parallel calls together again, whatever a server writes into `index` and `id`: the same number for all, none,
 * numbers with gaps, empty ids, ids and names in every piece.
 */
export class CallAssembler {
  readonly #calls: Call[] = []
  readonly #byId = new Map<string, Call>()
  readonly #byIndex = new Map<number, Call>()

  /** How many calls there are, how many of them have complete arguments or none, and how many nobody named. */
  get count(): { readonly all: number; readonly ready: number; readonly nameless: number } {
    const ready = this.#calls.filter((call) => call.json.progress() !== 'open').length
    return { all: this.#calls.length, ready, nameless: this.#calls.filter((call) => call.name === undefined).length }
  }

  /** Takes a piece and gives it in its proper form, or null while the name of its call is not known. `whole`: it is a call of its own. */
  take(fragment: CallFragment, whole = false): ChatCallDelta | null {
    if (this.#isRepeated(fragment)) return null
    const call = (whole ? undefined : this.#find(fragment)) ?? this.#open()
    const isFirst = call.name === undefined
    call.name ??= fragment.name
    call.id ??= fragment.id
    call.index ??= fragment.index
    if (fragment.id !== undefined) this.#byId.set(fragment.id, call)
    if (fragment.index !== undefined) this.#byIndex.set(fragment.index, call)
    call.json.push(fragment.arguments)
    call.pieces.push(fragment.arguments)
    const text = call.held + fragment.arguments
    if (call.name === undefined) {
      call.held = text
      call.extra = { ...call.extra, ...fragment.extra }
      return null
    }
    call.held = ''
    const extra = { ...call.extra, ...fragment.extra }
    call.extra = {}
    if (!isFirst) return { ...extra, index: call.position, function: { arguments: text } }
    const id = call.id === undefined ? {} : { id: call.id }
    return { ...extra, index: call.position, ...id, type: 'function', function: { name: call.name, arguments: text } }
  }

  /** Some servers send a call once more, whole, when it is done. */
  #isRepeated({ id, index, arguments: text }: CallFragment): boolean {
    const call = id === undefined ? undefined : this.#byId.get(id)
    if (call?.json.progress() !== 'complete' || (index !== undefined && call.index !== index)) return false
    return text !== '' && text.trim() === call.pieces.join('').trim()
  }

  #open(): Call {
    const call: Call = {
      position: this.#calls.length,
      id: undefined,
      name: undefined,
      index: undefined,
      json: createJsonFollower(),
      pieces: [],
      held: '',
      extra: {}
    }
    this.#calls.push(call)
    return call
  }

  /** The call that a piece belongs to; undefined: a new one. */
  #find(fragment: CallFragment): Call | undefined {
    const { id, index, name } = fragment
    const known = id === undefined ? undefined : this.#byId.get(id)
    if (known) return isContinued(known, fragment) ? known : undefined
    const numbered = index === undefined ? undefined : this.#byIndex.get(index)
    if (id !== undefined) return this.#findByNewId(fragment, numbered)
    if (name === undefined) return numbered ?? this.#unfinished(index) ?? this.#calls.at(-1)
    const last = index === undefined ? this.#calls.at(-1) : numbered
    return last && isContinued(last, fragment) ? last : undefined
  }

  /** An id not seen before begins a call, unless the piece has no name and goes on with one that is open. */
  #findByNewId({ name, index, arguments: text }: CallFragment, numbered: Call | undefined): Call | undefined {
    if (name === undefined) return numbered ?? (index === undefined ? this.#unfinished(undefined) : undefined)
    const goesOn = numbered?.name === name && numbered.json.progress() === 'open' && text.trim() !== '' && !startsStructure(text)
    if (goesOn || (numbered && numbered.name === undefined)) return numbered
    return undefined
  }

  /** The call whose arguments are not complete: the one at the given place if it never had a number, else the last one. */
  #unfinished(index: number | undefined): Call | undefined {
    const placed = index === undefined ? undefined : this.#calls[index]
    if (placed && placed.index === undefined && placed.json.progress() !== 'complete') return placed
    return this.#calls.findLast((call) => call.json.progress() !== 'complete')
  }
}

/** Whether a piece that repeats the id or the name of a call goes on with it, or begins another of the same kind. */
function isContinued(call: Call, { id, index, name, arguments: text }: CallFragment): boolean {
  if (name === undefined || call.name === undefined) return true
  if (name !== call.name) return false
  if (id !== undefined && index !== undefined && call.index !== undefined && index !== call.index) return false
  return call.json.progress() !== 'complete' || !startsStructure(text)
}
