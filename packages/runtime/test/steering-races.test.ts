import { describe, expect, test } from 'vitest'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Fact } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { checkHistory } from './model/check-history.ts'
import type { Random } from './model/random.ts'
import { createRandom } from './model/random.ts'
import { agentOf, factsOf, runtimeFor, streamingModel, toolOf, userTexts, within } from './runtime-kit.ts'
import { call, finish, text } from './stream-parts.ts'

const FIRST = Number(process.env['HOLDFAST_SEED'] ?? 1)
const RACES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 200)

/** Lets others go first, some times over. */
async function pause(times: number, signal?: AbortSignal): Promise<void> {
  for (let turn = 0; turn < times && !signal?.aborted; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A store that knows at every moment whether the run under way was cancelled. */
function watchedStore(): { readonly store: Store; readonly isCancelled: () => boolean } {
  const inner = memoryStore()
  let isCancelled = false
  const note = (fact: Fact): void => {
    if (fact.type === 'run.cancelRequested') isCancelled = true
    if (fact.type === 'run.started') isCancelled = false
  }
  const append: Store['append'] = async (request) => {
    const receipt = await inner.append(request)
    if (receipt.ok && !receipt.repeated) request.facts.forEach(note)
    return receipt
  }
  return { store: { ...inner, append }, isCancelled: () => isCancelled }
}

/** One thread under messages, interrupts and cancels that come at any moment. */
async function race(random: Random, tally: Map<string, number>): Promise<void> {
  const { store, isCancelled } = watchedStore()
  const violations: string[] = []
  const model = streamingModel(async function* ({ request, answers, call: { abortSignal } }) {
    if (isCancelled()) violations.push(`request ${request} comes after the cancel`)
    await pause(random.int(0, 6))
    if (answers % 3 < 2 && random.chance(0.6)) {
      for (let count = random.int(1, 3); count > 0; count--) yield call(`c${request}_${count}`, random.pick(['quick', 'slow']), '{}')
      return yield finish('tool-calls')
    }
    for (let count = random.int(1, 4); count > 0; count--) {
      yield text('t', `piece ${request}.${count} `)
      await pause(random.int(0, 5), abortSignal)
    }
    yield finish('stop')
  })
  const tools = [
    toolOf('quick', () => {
      if (isCancelled()) violations.push('a tool begins after the cancel')
    }),
    toolOf('slow', async (_, { signal }) => {
      if (isCancelled()) violations.push('a tool begins after the cancel')
      const [takes, stops, tells] = [random.int(1, 12), random.chance(0.7), random.chance(0.5)]
      await pause(takes, stops ? signal : undefined)
      if (stops && tells) signal.throwIfAborted()
    })
  ]
  const handle = await runtimeFor(model, { store }).start(agentOf({ tools, limits: { maxTurns: 50, maxRepeatedCalls: 50 } }), {
    input: 'go'
  })
  const sent: string[] = []
  for (let act = random.int(2, 6); act > 0; act--) {
    await pause(random.int(0, 15))
    // Two at once meet the same run: a cancel that comes second is stale.
    const ids = Array.from({ length: random.chance(0.2) ? 2 : 1 }, (_, at) => `m${sent.length + at + 1}`)
    for (const { item } of await Promise.all(ids.map((id) => send(handle, random, id)))) sent.push(item)
  }
  const receipts = await within(Promise.all(sent.map((item) => handle.receipt(item, { wait: true }))))
  await within(handle.settled())
  expect(violations).toEqual([])
  const facts = await factsOf(handle)
  for (const fact of facts) count(tally, fact)
  for (const receipt of receipts) expect(facts.some((fact) => fact.cause === receipt.item)).toBe(true)
  expect((await handle.info()).pending).toBe(0)
  checkMessages(facts, sent)
  checkCalls(facts)
  const [last] = model.prompts.slice(-1)
  expect(checkHistory((last ?? []).filter((message) => message.role !== 'system'))).toBeNull()
  expect(facts.some((fact) => fact.type === 'run.ended' && fact.status === 'failed')).toBe(false)
  // Whatever a run has read was asked about, unless that run was cancelled.
  if (facts.findLast((fact) => fact.type === 'run.ended')?.status !== 'cancelled') {
    const received = facts.flatMap((fact) => (fact.type === 'message.received' && fact.cause?.startsWith('m') ? [fact.cause] : []))
    expect(userTexts(last)).toEqual(['go', ...received])
  }
}

function send(handle: ThreadHandle, random: Random, id: string): Promise<{ readonly item: string }> {
  const luck = random.next()
  if (luck < 0.3) return handle.cancel({ reason: id, graceMs: random.pick([0, 2_000]) })
  return handle.message(id, { id, interrupt: luck < 0.7 })
}

function checkMessages(facts: readonly Fact[], sent: readonly string[]): void {
  const received = facts.flatMap((fact) => (fact.type === 'message.received' && fact.cause?.startsWith('m') ? [fact.cause] : []))
  const returned = facts.flatMap((fact) => (fact.type === 'message.returned' ? [fact.item] : []))
  const messages = sent.filter((item) => item.startsWith('m'))
  expect([...received, ...returned].toSorted()).toEqual(messages.toSorted())
  expect(received).toEqual(messages.filter((item) => received.includes(item)))
  // Nothing is returned without a cancel that came after it.
  for (const item of returned) expect(sent.slice(sent.indexOf(item)).some((other) => other.startsWith('cancel:'))).toBe(true)
}

function checkCalls(facts: readonly Fact[]): void {
  const asked = facts.flatMap((fact) => {
    if (fact.type !== 'model.responded' || !('inline' in fact.parts)) return []
    return fact.parts.inline.filter((part) => part.type === 'tool-call').map((_, position) => `${fact.turn}.${position}`)
  })
  const settled = facts.flatMap((fact) => (fact.type === 'call.settled' ? [fact.call] : []))
  expect(settled.toSorted()).toEqual(asked.toSorted())
}

function count(tally: Map<string, number>, fact: Fact): void {
  const add = (event: string): void => void tally.set(event, (tally.get(event) ?? 0) + 1)
  if (fact.type === 'run.ended') add(`ended ${fact.status}`)
  if (fact.type === 'item.discarded') add(`discarded ${fact.why}`)
  if (fact.type === 'model.failed') add(`failed ${fact.why}`)
  if (fact.type === 'message.returned') add('returned')
  if (fact.type === 'message.received' && fact.interrupts !== undefined) add('interrupted')
  if (fact.type === 'call.settled') add(`settled ${fact.outcome}`)
}

describe(`messages, interrupts and cancels in ${RACES} races from seed ${FIRST}`, () => {
  // B022 B060 I7 I10
  test('each end in one way, no model is asked and no tool begins after a cancel, and nothing is stuck', { timeout: 600_000 }, async () => {
    const tally = new Map<string, number>()
    for (let seed = FIRST; seed < FIRST + RACES; seed++) {
      await race(createRandom(seed), tally).catch((error: unknown) => {
        throw new Error(`replay: HOLDFAST_SEED=${seed} HOLDFAST_SCHEDULES=1`, { cause: error })
      })
    }
    if (RACES < 200) return
    const met = ['discarded no_run', 'discarded stale', 'ended cancelled', 'ended completed', 'failed aborted', 'failed interrupted']
    expect([...met, 'interrupted', 'returned', 'settled cancelled'].filter((event) => !tally.has(event))).toEqual([])
  })
})
