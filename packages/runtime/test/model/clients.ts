import type { Principal, ThreadId, WaitId } from '../../src/contracts/ids.ts'
import type { Json, JsonObject } from '../../src/contracts/json.ts'
import type { ItemKind, NewItem } from '../../src/contracts/store.ts'
import { project } from '../../src/state/project.ts'
import { emptyState } from '../../src/state/state.ts'
import type { WaitRow } from '../../src/contracts/wait.ts'
import type { LinkedStore } from './link.ts'
import { linkStore } from './link.ts'
import type { Model } from './model.ts'
import { TOOLS } from './publication.ts'
import type { Random } from './random.ts'
import type { Process } from './scheduler.ts'

const PERSON: Principal = { kind: 'person', id: 'ann' }

/** What may be said about any wait. */
const COMMON = [{ decision: 'approve' }, { decision: 'deny', reason: 'no' }] as const satisfies readonly Json[]
/** What may be said about a wait for budget: too little, enough for a while, enough for good, or nothing that extends it. */
export const EXTENSIONS = [
  { decision: 'extend', budget: { maxTotalTokens: 1 } },
  { decision: 'extend', budget: { maxTotalTokens: 2_000, maxCost: 1.5, maxToolCalls: 6 } },
  { decision: 'extend', budget: { maxTotalTokens: null, maxCost: null, maxToolCalls: null, maxDurationMs: null } },
  { decision: 'extend', budget: { maxTotalTokens: null, maxCost: null, maxToolCalls: null, maxDurationMs: null } },
  { decision: 'deny' },
  { decision: 'extend', budget: { maxTotalTokens: -1 } }
] as const satisfies readonly Json[]
const ALONE = [
  'approve',
  'later',
  { decision: 'answer', answer: 7 },
  { decision: 'approve', arguments: { n: 7 } },
  { decision: 'approve', remember: 'thread' },
  { decision: 'approve', arguments: [] }
] as const satisfies readonly Json[]

/** What of it approves; arguments that are no object refuse. */
export const APPROVALS: readonly (string | undefined)[] = [...COMMON, ...ALONE]
  .map((decision) => JSON.stringify(decision))
  .filter((text) => text.includes('approve') && !text.includes('[]'))

/** Some threads begin with prompts, of which some have calls. */
function withInitialPrompts(item: NewItem, random: Random): NewItem {
  if (!random.chance(0.3)) return item
  const tools = TOOLS.map(({ name }) => name).filter((name) => name !== 'task_complete')
  const call = (): Json => ({ tool: random.pick(['unheard_of', ...tools]), input: random.pick(['{"n":1}', '{"n":2}', '']) })
  const prompt = (place: number): Json => ({
    ...(random.chance(0.5) ? { text: `prompt ${place}` } : {}),
    ...(random.chance(0.3) ? { role: 'system' } : {}),
    calls: Array.from({ length: random.int(0, 3) }, call)
  })
  const initial = Array.from({ length: random.int(1, 3) }, (_, place) => prompt(place))
  return { ...item, body: { ...(item.body as JsonObject), initial } }
}

/** Whoever is outside: starts threads, sends messages and cancels, decides. Repeats what was not answered, under the same id. */
export class Clients {
  readonly #model: Model
  readonly #process: Process = { name: 'clients', dead: false, stoppedUntil: 0 }
  readonly #store: LinkedStore
  readonly #hint: (thread: ThreadId) => void
  #sent = 0

  constructor(model: Model, hint: (thread: ThreadId) => void) {
    this.#model = model
    this.#store = linkStore(this.#process, model.store, model)
    this.#hint = hint
  }

  async create(thread: ThreadId): Promise<void> {
    const { inner, publication, witness } = this.#model
    const first = withInitialPrompts(this.#item(thread, 'start'), this.#model.random)
    await inner.create({
      tenant: 'acme',
      id: thread,
      root: thread,
      path: '',
      created: { v: 1, type: 'thread.created', publication: publication.digest, grants: {}, rules: [], root: thread, depth: 0 },
      first,
      row: project(emptyState(thread, publication))
    })
    witness.thread(thread).commits.push(...(await inner.read(thread, 1, 1)))
    witness.accept(thread, first)
  }

  /** Sends one item until it is known to have arrived; some are sent twice. */
  async send(thread: ThreadId, kind: 'message' | 'interrupt' | 'cancel' | 'budget'): Promise<void> {
    const { random } = this.#model
    const item = this.#item(thread, kind)
    const times = random.chance(0.15) ? 2 : 1
    await Promise.all(Array.from({ length: times }, () => this.#untilKnown(() => this.#store.deliver([item]))))
    if (random.chance(0.7)) this.#hint(thread)
  }

  /** Decides open waits, now and then, for as long as the schedule lasts. */
  async decide(threads: readonly ThreadId[], by: Principal, isOver: () => boolean): Promise<void> {
    const { random, scheduler, witness } = this.#model
    const patience = random.pick([0.9, 0.4, 0.1])
    while (!isOver()) {
      await scheduler.sleep(this.#process, random.int(5, 250))
      for (const thread of threads) {
        for (const wait of witness.thread(thread).openWaits) {
          // A pause is mostly left to end by itself.
          if (!random.chance(wait.includes(':timer:') ? patience / 5 : patience)) continue
          const decision = await this.#decision(wait)
          await this.#untilKnown(() => this.#store.decide(wait, decision, by))
          if (random.chance(0.7)) this.#hint(thread)
        }
      }
    }
  }

  async #decision(wait: WaitId): Promise<Json> {
    const row = await this.#model.inner.wait(wait)
    if (row?.kind === 'outcome') return this.#outcome(row)
    if (row?.kind === 'budget') return this.#model.random.pick<Json>(EXTENSIONS)
    // Two who edit differently agree on nothing, and nobody else is there.
    return this.#model.random.pick<Json>((row?.needed ?? 1) > 1 ? COMMON : [...COMMON, ...ALONE])
  }

  /** Whoever is asked what became of a call looks, and mostly says what there is. */
  #outcome({ thread, subject }: WaitRow): Json {
    const { random, effects } = this.#model
    if (random.chance(0.15)) return random.pick<Json>([{ decision: 'outcome', outcome: 'unknown' }, { decision: 'approve' }, 'happened'])
    const { call, leg } = subject as { readonly call: string; readonly leg: number }
    return { decision: 'outcome', outcome: effects.look(thread, call, leg) === 'done' ? 'happened' : 'not_happened' }
  }

  #item(thread: ThreadId, kind: ItemKind): NewItem {
    const id = `${kind}-${++this.#sent}`
    const text = { run: `run_${this.#sent}`, parts: [{ type: 'text', text: `text of ${id}` }] }
    const change = { maxTotalTokens: this.#model.random.pick([null, 400, 2_000]), maxToolCalls: this.#model.random.pick([null, 3]) }
    const body: Json = kind === 'cancel' ? { reason: 'enough' } : kind === 'budget' ? change : text
    return { id, thread, kind, from: PERSON, digest: `sha256:${id}`, body }
  }

  async #untilKnown(request: () => Promise<unknown>): Promise<void> {
    const { scheduler, random } = this.#model
    for (;;) {
      try {
        await request()
        return
      } catch {
        await scheduler.sleep(this.#process, random.int(5, 100))
      }
    }
  }
}
