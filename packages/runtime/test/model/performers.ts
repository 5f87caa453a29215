import type { CallOutcome, Fact, FactOf, ModelFailure } from '../../src/contracts/fact.ts'
import type { Action, Running } from '../../src/contracts/heart.ts'
import type { Part, ToolCallPart } from '../../src/contracts/message.ts'
import type { CallResult } from '../../src/contracts/message.ts'
import { parseArguments } from '../../src/state/arguments.ts'
import { TASK_COMPLETE } from '../../src/state/evolve-call.ts'
import type { ToolDescriptor } from '../../src/contracts/publication.ts'
import type { State } from '../../src/state/state.ts'
import { conversationOf } from '../../src/state/state.ts'
import type { Effects } from './effects.ts'
import { found } from './effects.ts'
import type { Done } from './lasting.ts'
import { atOnce, lasting } from './lasting.ts'
import { TOOLS } from './publication.ts'
import type { Random } from './random.ts'
import { admit, prepare, reviewCall, reviewTurn } from './reviews.ts'
import type { Process, Scheduler } from './scheduler.ts'

/** What the fake effects of one drive need. */
export interface PerformWorld {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly effects: Effects
  readonly process: Process
  readonly attempt: number
  readonly slowness: number
  /** Called with what must not be: effects never throw into the driver. */
  violate(error: unknown): void
}

/** Starts a fake effect that behaves like the real one of its kind: takes time, honours aborts, ends in exactly one `done`. */
export function performFake(action: Action, state: State, done: Done, world: PerformWorld): Running {
  try {
    if (action.do === 'infer') return infer(action, state, done, world)
    if (action.do === 'gate') return gate(action, state, done, world)
    if (action.do === 'admit') return admit(action, done, world)
    if (action.do === 'prepare') return prepare(action, state, done, world)
    if (action.do === 'reviewTurn') return reviewTurn(action, state, done, world, toGates)
    if (action.do === 'reviewCall') return reviewCall(action, state, done, world)
    if (action.do === 'reconcile') return reconcile(action, state, done, world)
    return run(action, state, done, world)
  } catch (error) {
    world.violate(error)
    return { abort: () => {} }
  }
}

function infer(action: Extract<Action, { do: 'infer' }>, state: State, done: Done, world: PerformWorld): Running {
  const { turn } = conversationOf(state, action.scope)
  const run = state.run?.id ?? ''
  const number = turn?.try ?? 1
  const failed = (why: ModelFailure, more: Partial<Omit<FactOf<'model.failed'>, 'type' | 'why'>> = {}): Fact => ({
    v: 1,
    type: 'model.failed',
    run,
    scope: action.scope,
    turn: action.turn,
    try: number,
    why,
    ...more
  })
  if (action.cancelled) return atOnce(done, [failed(WHY[action.cancelled.by])])
  world.effects.startInfer(action, state, world.attempt)
  const { random } = world
  const wireIds = [...conversationOf(state, action.scope).wireIds]
  return lasting(world, done, random.chance(0.05) ? 0 : random.int(1, 120), {
    outcome: () => {
      const luck = random.next()
      if (luck < 0.05) return [failed('transient', retryAfter(random))]
      if (luck < 0.06) return [failed('permanent')]
      if (luck < 0.08) return [failed('permanent', { error: { code: 'provider_rejected', message: 'no' } })]
      return respond(action, state.thread, run, turn?.number ?? 1, wireIds, random)
    },
    aborted: (cancelled) => [failed(cancelled ? WHY[cancelled.by] : 'aborted', spentUntilThen(random))]
  })
}

/** What is known of the usage of a call that was cut short: often nothing. */
function spentUntilThen(random: Random): Pick<FactOf<'model.failed'>, 'usage' | 'cost'> {
  return random.chance(0.5)
    ? {}
    : { usage: { inputTokens: 7, outputTokens: random.int(0, 3) }, ...(random.chance(0.5) ? { cost: 0.1 } : {}) }
}

const WHY = { cancel: 'aborted', interrupt: 'interrupted' } as const

/** Nothing, the next moment, long enough to rest, long enough for a wait, or longer than anybody waits. */
function retryAfter(random: Random): { readonly retryAfterMs?: number } {
  const luck = random.next()
  if (luck < 0.5) return {}
  if (luck < 0.7) return { retryAfterMs: random.int(0, 400) }
  return { retryAfterMs: luck < 0.75 ? 6_000 : luck < 0.98 ? 700_000 : 700_000_000 }
}

/** An answer, and what the gate says of its calls in the same outcome; it leaves some calls to `gate` actions. */
function respond(
  action: Extract<Action, { do: 'infer' }>,
  thread: string,
  run: string,
  number: number,
  wireIds: readonly string[],
  random: Random
): readonly Fact[] {
  const parts: Part[] = random.chance(0.3) ? [{ type: 'reasoning', text: 'hm' }] : []
  const wantsCalls = random.chance(number === 1 ? 0.8 : 0.5)
  if (wantsCalls) for (let count = random.int(1, 4); count > 0; count--) parts.push(toCallPart(wireIds, random))
  else if (random.chance(0.85)) parts.push({ type: 'text', text: 'done' })
  const responded: FactOf<'model.responded'> = {
    v: 1,
    type: 'model.responded',
    run,
    scope: action.scope,
    turn: action.turn,
    parts: { inline: parts },
    finish: random.chance(0.03) ? 'length' : 'stop',
    usage: { inputTokens: 10, outputTokens: 5, ...(random.chance(0.01) ? { estimated: true } : {}) },
    cost: random.chance(0.03) ? 'unknown' : 0.25,
    model: 'fake/one',
    ...(random.chance(0.15) ? { review: true } : {})
  }
  // What hooks look at is judged when they have.
  if (responded.review) return [responded]
  return [responded, ...toGates({ thread, run, turn: action.turn }, parts, random)]
}

/** What the gate says of the calls of an answer at once: most of it. */
function toGates(
  { thread, run, turn }: { readonly thread: string; readonly run: string; readonly turn: string },
  parts: readonly Part[],
  random: Random
): readonly Fact[] {
  const calls = parts.filter((part) => part.type === 'tool-call')
  const gated = calls.map((part, position) =>
    toGated({ thread, run, call: `${turn}.${position}`, tool: part.tool, input: part.input }, random)
  )
  return gated.filter(() => !random.chance(0.12))
}

/** Tools about which somebody is asked when a process dies. */
const DOUBTFUL = TOOLS.filter(({ onUnknown }) => onUnknown === 'ask') as readonly ToolDescriptor[] as typeof TOOLS

function toCallPart(wireIds: readonly string[], random: Random): ToolCallPart {
  const [some = ''] = wireIds
  const ids = ['', some, `w${random.int(0, 3)}`, `w${random.int(4, 1_000_000)}`] as const
  const tool = random.pick(random.chance(0.2) ? DOUBTFUL : TOOLS)
  const input = random.chance(0.3) ? '{"n":0}' : JSON.stringify({ n: random.int(1, 1_000_000) })
  return { type: 'tool-call', id: random.pick(ids), tool: tool.name, input }
}

interface Gating {
  readonly thread: string
  readonly run: string
  readonly call: string
  readonly tool: string
  readonly input: string
  /** How often somebody has decided about it. */
  readonly rounds?: number
}

/** At first anything; after an approval mostly leave to run, sometimes a refusal or another ask. */
function toGated({ thread, run, call, tool, input, rounds = 0 }: Gating, random: Random): Fact {
  const parsed = parseArguments(input)
  const identity = TOOLS.find((each) => each.name === tool)?.identity
  const verdict = identity === TASK_COMPLETE ? 'respond' : rounds === 0 ? firstVerdict(random) : laterVerdict(rounds, random)
  const result: CallResult | null = verdict === 'block' ? { error: 'not allowed' } : verdict === 'respond' ? { value: 'given' } : null
  return {
    v: 1,
    type: 'call.gated',
    run,
    scope: '',
    call,
    verdict,
    by: 'test',
    asks: verdict === 'hold' ? [`tool-${rounds}`] : [],
    arguments: { inline: parsed.ok ? parsed.value : null },
    digest: `sha256:${tool}:${input}:${thread}`,
    ...(result === null ? {} : { result }),
    ...(verdict === 'hold' && random.chance(0.3) ? { expiresAfterMs: random.int(20, 600) } : {}),
    ...(verdict === 'hold' && random.chance(0.2) ? { needed: 2 } : {})
  }
}

type Verdict = 'run' | 'hold' | 'block' | 'respond'

function firstVerdict(random: Random): Verdict {
  const luck = random.next()
  return luck < 0.25 ? 'hold' : luck < 0.31 ? 'block' : luck < 0.36 ? 'respond' : 'run'
}

function laterVerdict(rounds: number, random: Random): Verdict {
  const luck = random.next()
  return luck < 0.15 ? 'block' : luck < 0.35 && rounds < 3 ? 'hold' : 'run'
}

function gate(action: Extract<Action, { do: 'gate' }>, state: State, done: Done, world: PerformWorld): Running {
  const { random } = world
  const call = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)
  const isAgain = call?.decision === 'approved'
  const shown = call?.arguments && 'inline' in call.arguments ? call.arguments.inline : null
  const gating: Gating = {
    thread: state.thread,
    run: state.run?.id ?? '',
    call: action.call,
    tool: call?.tool ?? '',
    input: isAgain ? JSON.stringify(call?.edited ?? shown) : (call?.input ?? ''),
    rounds: isAgain ? call.waits : 0
  }
  const judge = (): readonly Fact[] => [toGated(gating, random)]
  if (random.chance(0.2)) return atOnce(done, judge())
  return lasting(world, done, random.int(0, 40), { outcome: judge, aborted: () => (random.chance(0.5) ? judge() : []) })
}

function run(action: Extract<Action, { do: 'run' }>, state: State, done: Done, world: PerformWorld): Running {
  const { random, effects, scheduler, process } = world
  const run = state.run?.id ?? ''
  const settled = (outcome: CallOutcome, result: CallResult): readonly Fact[] => [
    { v: 1, type: 'call.settled', run, scope: action.scope, call: action.call, outcome, result: { inline: result } }
  ]
  if (action.cancelled) return atOnce(done, settled('cancelled', { error: 'cancelled before it was run' }))
  const record = effects.startCall(action, state, world.attempt)
  const durationMs = random.chance(0.1) ? 0 : random.int(1, 150) * world.slowness
  // It comes about whatever the process is told meanwhile: only a death prevents it.
  scheduler.after(process, random.int(0, durationMs), () => {
    try {
      effects.land(record)
    } catch (error) {
      world.violate(error)
    }
  })
  return lasting(world, done, durationMs, {
    outcome: () => {
      const luck = random.next()
      if (luck > 0.85) return [toSuspended(action, state, random)]
      if (luck < 0.1) return looked(settled('error', { error: 'it broke' }), random)
      if (luck < 0.13) return settled('timeout', { error: 'too slow' })
      return looked(settled('ok', { value: random.chance(0.2) ? '' : { ok: true } }), random)
    },
    aborted: () => settled('cancelled', { error: 'cancelled while it ran' })
  })
}

/** Some of what tools give is looked at by hooks. */
function looked(facts: readonly Fact[], random: Random): readonly Fact[] {
  return random.chance(0.3) ? facts.map((fact) => (fact.type === 'call.settled' ? { ...fact, review: true } : fact)) : facts
}

const KINDS = ['external', 'approval', 'question'] as const

/** A leg that lets go. */
function toSuspended({ scope, call: id }: Extract<Action, { do: 'run' }>, state: State, random: Random): Fact {
  const call = conversationOf(state, scope).turn?.calls.find((each) => each.id === id)
  const leg = call?.started?.leg ?? 1
  const kind = random.pick(KINDS)
  const wait = `${state.thread}:${id}:${kind}:${(call?.waits ?? 0) + 1}`
  const more = random.chance(0.2) ? { expiresAfterMs: random.int(20, 900) } : {}
  const bodies = { state: { inline: { leg } }, subject: { inline: { question: 'well?' } } }
  return { v: 1, type: 'call.suspended', run: state.run?.id ?? '', scope, call: id, leg, wait, kind, ...bodies, ...more }
}

/** A tool that looks for what it did, and mostly knows. */
function reconcile(action: Extract<Action, { do: 'reconcile' }>, state: State, done: Done, world: PerformWorld): Running {
  const { random, effects } = world
  const record = effects.reconcile(action, state, world.attempt)
  const { try: count = 0, leg = 0 } = conversationOf(state, action.scope).turn?.calls.find((each) => each.id === action.call)?.started ?? {}
  const fact = { v: 1, type: 'call.reconciled', run: state.run?.id ?? '', scope: action.scope, call: action.call, try: count, leg } as const
  const say = (): readonly Fact[] => {
    const luck = random.next()
    const { final } = action
    const said = luck < 0.1 ? 'unknown' : luck < (final ? 0.35 : 0.2) ? 'failed' : found(record, final)
    return [
      {
        ...fact,
        said,
        final,
        ...(said === 'done' ? { result: { inline: { value: 'done before' } }, ...(random.chance(0.3) ? { review: true } : {}) } : {})
      }
    ]
  }
  return lasting(world, done, random.int(0, 60), { outcome: say, aborted: () => [] })
}
