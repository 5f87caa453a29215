import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Commit, Fact, FactOf } from '../src/contracts/fact.ts'
import type { Store } from '../src/contracts/store.ts'
import { parseWorkerId } from '../src/engine/worker-id.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { ChildOptions } from './crash/child.ts'
import type { Child } from './crash/process.ts'
import { endLease, startChild, wholeLinesOf } from './crash/process.ts'
import { callsOf } from './crash/scenario.ts'
import { folder, resultsIn, until, within } from './runtime-kit.ts'

interface Place {
  readonly store: Store
  child(options: Omit<ChildOptions, 'path' | 'world'>): Child
  /** What happened outside. */
  world(): readonly { readonly name: string; readonly key: string; readonly call: string; readonly try: number; readonly pid: number }[]
  /** Lets the tool go on that blocks its process. */
  free(): void
  commits(thread: string): Promise<readonly Commit[]>
  facts<T extends Fact['type']>(thread: string, type: T): Promise<readonly FactOf<T>[]>
}

async function place(): Promise<Place> {
  const path = join(await folder(), 'holdfast.db')
  const world = `${path}.world`
  const store = await sqliteStore(path, { durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  const commits = (thread: string) => store.read(thread, 1, 8_000_000)
  return {
    store,
    commits,
    free: () => writeFileSync(`${world}.free`, ''),
    child: (options) => startChild({ ...options, path, world }),
    world: () => wholeLinesOf(world).map((line) => JSON.parse(line)),
    async facts<T extends Fact['type']>(thread: string, type: T) {
      const facts = (await commits(thread)).flatMap((commit) => commit.facts)
      return facts.filter((fact): fact is FactOf<T> => fact.type === type)
    }
  }
}

const startedBy = async (child: Child, key = 'k') => String((await child.says({ key }))['started'])
const promptsOf = (child: Child) => child.lines.flatMap((line) => ('asked' in line ? [line['asked'] as LanguageModelV4Prompt] : []))
const SLOW = 120_000
/** A lease that nobody loses because other programs want the processor. */
const LONG_MS = 60_000
/** One that a test waits for the end of. */
const SHORT_MS = 3_000

/** A process that kills itself at something, and another one that takes its thread up. */
async function killedAndTakenUp(here: Place, at: 'charge' | 'stream', more: Pick<ChildOptions, 'effect'> = {}) {
  const first = here.child({ start: [{ kind: at, key: 'k' }], die: at, ...more })
  expect(await within(first.ended, SLOW)).toBe('SIGKILL')
  const thread = await startedBy(first)
  return { first, thread, second: here.child({ resume: { threads: [thread], takeover: true }, ...more }) }
}

describe('a process that kills itself in a tool, behind the effect', () => {
  test('leaves a call that is not run again and that the model knows as unknown; its recorded sibling never reruns', async () => {
    // B043
    const here = await place()
    const { first, second, thread } = await killedAndTakenUp(here, 'charge')
    expect(await within(second.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    expect(here.world().map((line) => line.name)).toEqual(['note', 'charge'])
    const settled = await here.facts(thread, 'call.settled')
    expect(settled.map((fact) => fact.outcome)).toEqual(['ok', 'unknown'])
    const told = settled.map(({ result }) =>
      'inline' in result && 'error' in result.inline ? { type: 'error-text', value: result.inline.error } : { type: 'text' }
    )
    expect([...resultsIn(promptsOf(second)[0]).values()]).toMatchObject(told)
    const claims = await here.facts(thread, 'attempt.claimed')
    expect(claims.map((fact) => fact.why)).toEqual(['items', 'takeover'])
    expect(claims.map((fact) => parseWorkerId(fact.worker)?.pid)).toEqual([first.pid, second.pid])
    expect((await here.commits(thread)).map((commit) => commit.attempt).at(-1)).toBe(2)
  })

  test('leaves a call that is run again under the same key when the tool says that it may be', async () => {
    // B043
    const here = await place()
    const { second, thread } = await killedAndTakenUp(here, 'charge', { effect: 'idempotent' })
    expect(await within(second.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    const [note, ...charges] = here.world()
    expect(note).toMatchObject({ name: 'note', try: 1 })
    expect(charges).toMatchObject([
      { name: 'charge', try: 1 },
      { name: 'charge', try: 2 }
    ])
    expect(charges[1]?.key).toBe(charges[0]?.key)
    expect((await here.facts(thread, 'call.settled')).map((fact) => fact.outcome)).toEqual(['ok', 'ok'])
  })
})

describe('a process that is killed', () => {
  test('in the middle of a stream loses that answer alone', async () => {
    const here = await place()
    const { first, second, thread } = await killedAndTakenUp(here, 'stream')
    expect(await within(second.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed', text: 'done' })
    expect(await here.facts(thread, 'model.failed')).toMatchObject([{ why: 'lost', try: 1 }])
    expect(await here.facts(thread, 'turn.started')).toMatchObject([{ try: 1 }, { try: 2 }])
    expect(promptsOf(second)).toEqual(promptsOf(first))
  })

  test('at any of its commits leaves a run that another process ends, with every effect at most once', async () => {
    const here = await place()
    const whole = here.child({ start: [{ kind: 'walk', key: 'whole' }] })
    const model = await startedBy(whole, 'whole')
    await within(whole.says({ settled: model }), SLOW)
    const sequences = (await here.commits(model)).map((commit) => commit.sequence).slice(1)
    process.stdout.write(`crash matrix of processes: ${sequences.length} commits\n`)
    expect(sequences).toHaveLength(8)
    const killed: { readonly thread: string; readonly open: ReadonlySet<string> }[] = []
    for (const sequence of sequences) {
      const child = here.child({ start: [{ kind: 'walk', key: `${sequence}` }], die: { sequence } })
      expect(await within(child.ended, SLOW)).toBe('SIGKILL')
      const thread = await startedBy(child, `${sequence}`)
      killed.push({ thread, open: callsOf((await here.commits(thread)).flatMap((commit) => commit.facts)).open })
    }
    const heir = here.child({ resume: { threads: killed.map(({ thread }) => thread), takeover: true } })
    for (const { thread, open } of killed) {
      expect(await within(heir.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed', text: 'done' })
      const settled = await here.facts(thread, 'call.settled')
      expect(settled).toHaveLength(5)
      expect(new Set(settled.filter((fact) => fact.outcome === 'unknown').map((fact) => fact.call))).toEqual(open)
      const begun = here
        .world()
        .filter((line) => line.key.startsWith(thread))
        .map((line) => line.call)
      expect(new Set(begun).size).toBe(begun.length)
      for (const fact of settled) if (fact.outcome !== 'unknown') expect(begun).toContain(fact.call)
    }
  })

  // The system tells when a process began, and so which one it was.
  test.skipIf(process.platform !== 'linux')(
    'is followed at once by whoever resumes its thread on the same machine, without a word',
    async () => {
      // B045
      const here = await place()
      const first = here.child({ start: [{ kind: 'hold', key: 'k' }], leaseMs: 3_600_000, effect: 'idempotent' })
      await within(first.says({ at: 'hold' }), SLOW)
      const thread = await startedBy(first)
      const early = here.child({ resume: { threads: [thread] }, effect: 'idempotent' })
      expect(await within(early.says({ refused: thread }), SLOW)).toMatchObject({ code: 'thread_busy', details: { life: 'alive' } })
      first.kill('SIGKILL')
      await first.ended
      const rivals = [1, 2].map(() => here.child({ resume: { threads: [thread], go: true }, effect: 'idempotent' }))
      for (const rival of rivals) await within(rival.says({ at: 'ready' }), SLOW)
      for (const rival of rivals) rival.tell('go')
      const answers = await Promise.all(
        rivals.map((rival) => within(Promise.race([rival.says({ driving: thread }), rival.says({ refused: thread })]), SLOW))
      )
      const winner = rivals[answers.findIndex((answer) => 'driving' in answer)]
      expect(answers.filter((answer) => 'refused' in answer)).toMatchObject([{ code: 'thread_busy', details: { life: 'alive' } }])
      winner?.tell('finish')
      expect(await within(winner?.says({ settled: thread }) ?? Promise.reject(), SLOW)).toMatchObject({ status: 'completed' })
      expect((await here.facts(thread, 'attempt.claimed')).map((fact) => fact.why)).toEqual(['items', 'takeover'])
    }
  )

  test('is followed after its lease, and of two that try at once exactly one owns the thread and the other names it', async () => {
    // B045, B046
    const here = await place()
    const first = here.child({ start: [{ kind: 'hold', key: 'k' }], leaseMs: LONG_MS, effect: 'idempotent' })
    await within(first.says({ at: 'hold' }), SLOW)
    const thread = await startedBy(first)
    const rivals = [1, 2].map(() => here.child({ resume: { threads: [thread], go: true }, leaseMs: LONG_MS, effect: 'idempotent' }))
    for (const rival of rivals) await within(rival.says({ at: 'ready' }), SLOW)
    first.kill('SIGKILL')
    await first.ended
    await endLease(here.store, thread)
    for (const rival of rivals) rival.tell('go')
    const answers = await Promise.all(
      rivals.map((rival) => within(Promise.race([rival.says({ driving: thread }), rival.says({ refused: thread })]), SLOW))
    )
    const winner = rivals[answers.findIndex((answer) => 'driving' in answer)]
    const refused = answers.filter((answer) => 'refused' in answer)
    expect(refused).toMatchObject([{ code: 'thread_busy' }])
    const { worker } = Object(refused[0]?.['details'])
    expect(parseWorkerId(worker)?.pid).toBe(winner?.pid)
    winner?.tell('finish')
    expect(await within(winner?.says({ settled: thread }) ?? Promise.reject(), SLOW)).toMatchObject({ status: 'completed' })
    expect((await here.facts(thread, 'attempt.claimed')).map((fact) => fact.why)).toEqual(['items', 'expired'])
    expect(await here.facts(thread, 'call.settled')).toMatchObject([{ outcome: 'ok' }])
    expect(here.world().map((line) => line.pid)).toEqual([first.pid, winner?.pid])
  })
})

/** Tries to resume until the thread is to be had. */
async function takeOver(here: Place, thread: string): Promise<Child> {
  for (;;) {
    await until(async () => (await here.store.thread(thread))?.owner === undefined)
    const child = here.child({ resume: { threads: [thread] }, leaseMs: LONG_MS })
    const answer = await within(Promise.race([child.says({ driving: thread }), child.says({ refused: thread })]), SLOW)
    if ('driving' in answer) return child
  }
}

/** Everything of the first attempt stands before everything of the second, and the first wrote nothing afterwards. */
async function expectFenced(here: Place, thread: string, calls: readonly string[]): Promise<void> {
  expect((await here.facts(thread, 'call.settled')).map((fact) => fact.outcome)).toEqual(calls)
  expect((await here.facts(thread, 'attempt.claimed')).map((fact) => fact.why)).toEqual(['items', 'expired'])
  const attempts = (await here.commits(thread)).map((commit) => commit.attempt)
  expect(attempts).toEqual(attempts.toSorted())
  expect((await here.store.thread(thread))?.attempt).toBe(2)
}

describe('a tool that takes longer than the lease', () => {
  test('keeps its thread by the heartbeat: one attempt, and a rival is refused meanwhile', async () => {
    // B046
    const here = await place()
    const owner = here.child({ start: [{ kind: 'hold', key: 'k' }], leaseMs: SHORT_MS })
    await within(owner.says({ at: 'hold' }), SLOW)
    const thread = await startedBy(owner)
    await new Promise((resolve) => setTimeout(resolve, SHORT_MS + 500))
    const rival = here.child({ resume: { threads: [thread] }, leaseMs: SHORT_MS })
    expect(await within(rival.says({ refused: thread }), SLOW)).toMatchObject({ code: 'thread_busy' })
    owner.tell('finish')
    expect(await within(owner.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    expect((await here.facts(thread, 'call.settled')).map((fact) => fact.outcome)).toEqual(['ok'])
    expect(await here.facts(thread, 'attempt.claimed')).toHaveLength(1)
  })

  test('in a process that is stopped is taken over; the process that wakes up commits nothing', async () => {
    // B046
    const here = await place()
    const owner = here.child({ start: [{ kind: 'hold', key: 'k' }], leaseMs: SHORT_MS })
    await within(owner.says({ at: 'hold' }), SLOW)
    const thread = await startedBy(owner)
    owner.kill('SIGSTOP')
    const heir = await takeOver(here, thread)
    expect(await within(heir.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    const before = await here.commits(thread)
    owner.tell('finish')
    owner.kill('SIGCONT')
    expect(await within(owner.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    owner.tell('stop')
    expect(await within(owner.ended, SLOW)).toBe(0)
    expect(await here.commits(thread)).toEqual(before)
    await expectFenced(here, thread, ['unknown'])
    expect(here.world()).toHaveLength(1)
  })

  test('and blocks the event loop is taken over; its late result is refused', async () => {
    // B046
    const here = await place()
    const owner = here.child({ start: [{ kind: 'block', key: 'k' }], leaseMs: SHORT_MS })
    await within(owner.says({ at: 'block' }), SLOW)
    const thread = await startedBy(owner)
    const heir = await takeOver(here, thread)
    expect(await within(heir.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    const before = await here.commits(thread)
    here.free()
    await within(owner.says({ at: 'unblocked' }), SLOW)
    expect(await within(owner.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
    owner.tell('stop')
    expect(await within(owner.ended, SLOW)).toBe(0)
    expect(await here.commits(thread)).toEqual(before)
    await expectFenced(here, thread, ['unknown'])
    expect(here.world()).toHaveLength(1)
  })
})

describe('workers that drive whatever is ready', () => {
  test('end every run, each step once, while some of them are killed', async () => {
    // B045
    const here = await place()
    const keys = Array.from({ length: 30 }, (_, index) => `${index}`)
    const lease = { recover: true, leaseMs: 1_000 }
    const starter = here.child({ ...lease, start: keys.map((key) => ({ kind: 'steps', key })) })
    const workers = [starter, here.child(lease), here.child(lease)]
    await startedBy(starter, '29')
    starter.kill('SIGKILL')
    await until(() => here.world().length > 40)
    workers[1]?.kill('SIGKILL')
    const again = here.child({ ...lease, start: keys.map((key) => ({ kind: 'steps', key })) })
    for (const key of keys) {
      const thread = await startedBy(again, key)
      expect(await within(again.says({ settled: thread }), SLOW)).toMatchObject({ status: 'completed' })
      const settled = await here.facts(thread, 'call.settled')
      expect(new Set(settled.map((fact) => fact.call)).size).toBe(3)
      expect(settled).toHaveLength(3)
      const begun = here
        .world()
        .filter((line) => line.key.startsWith(thread))
        .map((line) => line.call)
      expect(new Set(begun).size).toBe(begun.length)
      for (const fact of settled) if (fact.outcome === 'ok') expect(begun).toContain(fact.call)
      const attempts = (await here.commits(thread)).map((commit) => commit.attempt)
      expect(attempts).toEqual(attempts.toSorted((a, b) => a - b))
    }
  })
})
