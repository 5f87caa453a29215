import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../src/contracts/store.ts'
import { createRuntime } from '../src/runtime.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { ChildOptions } from './crash/child.ts'
import type { Child } from './crash/process.ts'
import { endLease, startChild, wholeLinesOf } from './crash/process.ts'
import { publicationOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'
import { factsOfType, folder, runtimeFor, recordingModel, until, within } from './runtime-kit.ts'

const SLOW = 120_000

interface Place {
  readonly store: Store
  child(options: Omit<ChildOptions, 'path' | 'world'>): Child
  /** How often a tool of this name has begun. */
  begun(name: string): number
}

async function place(): Promise<Place> {
  const path = join(await folder(), 'holdfast.db')
  const world = `${path}.world`
  const store = await sqliteStore(path, { durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return {
    store,
    child: (options) => startChild({ ...options, path, world }),
    begun: (name) => wholeLinesOf(world).filter((line) => line.includes(`"${name}"`)).length
  }
}

const startedBy = async (child: Child, key: string) => String((await within(child.says({ key }), SLOW))['started'])
const looking = (store: Store) => {
  const runtime = createRuntime({ store, concurrency: 0 })
  onTestFinished(() => runtime.close())
  return runtime
}
/** The lease is so long that none who lives loses it, however busy the machine is. */
const WORKER = { recover: true, leaseMs: 60_000, crashBudget: 2, effect: 'read' } as const

/** Workers, one after another, until none is killed by the thread any more; the last one lives. */
async function workUntilAside(here: Place, thread: string): Promise<{ readonly killed: number; readonly last: Child }> {
  const { store } = here
  for (let killed = 0; ; killed++) {
    await endLease(store, thread)
    const worker = here.child({ ...WORKER, die: 'charge' })
    const isAside = async () => (await store.waits({ tenant: 'default', thread })).items.some((wait) => wait.kind === 'quarantine')
    const isOver = Promise.race([worker.ended, until(isAside)])
    if ((await within(isOver, SLOW)) !== 'SIGKILL') return { killed, last: worker }
  }
}

describe('a tool that kills its process each time', () => {
  test('is set aside when its crash budget is used up; others go on, and a person has it tried again', { timeout: 3 * SLOW }, async () => {
    // B040, B045, B046
    const here = await place()
    const first = here.child({
      ...WORKER,
      die: 'charge',
      start: [
        { kind: 'charge', key: 'poison' },
        { kind: 'steps', key: 'calm' }
      ]
    })
    const poison = await startedBy(first, 'poison')
    const calm = await startedBy(first, 'calm')
    expect(await within(first.ended, SLOW)).toBe('SIGKILL')
    const { killed, last } = await workUntilAside(here, poison)
    // The first attempt had an answer: that was progress. Two more had none.
    expect(killed).toBe(2)
    expect(here.begun('charge')).toBe(3)
    const runtime = looking(here.store)
    await until(async () => (await runtime.thread(calm).info()).row.status === 'completed')
    const handle = runtime.thread(poison)
    expect(await handle.settled()).toMatchObject({
      status: 'waiting',
      waits: [{ kind: 'quarantine', subject: { attempts: 2, calls: [{ tool: 'charge', started: true }] } }]
    })
    // Nothing but a person brings it on, whoever looks.
    expect((await handle.info()).timerAt).toBeUndefined()
    last.kill('SIGKILL')
    await last.ended
    const [wait] = (await runtime.waits({ thread: poison })).items
    expect(await runtime.approve(wait?.id ?? '', { note: 'the machine has more memory now' })).toMatchObject({ state: 'accepted' })
    expect(await runtime.deny(wait?.id ?? '')).toMatchObject({ state: 'conflict' })
    const heir = here.child({ ...WORKER })
    await until(async () => (await runtime.thread(poison).info()).row.status === 'completed')
    expect((await factsOfType(handle, 'attempt.claimed')).map((fact) => fact.why)).toEqual([
      'items',
      'expired',
      'expired',
      'expired',
      'items'
    ])
    // As often as a call may be tried at all: then the model is told that nobody knows.
    expect((await factsOfType(handle, 'call.settled')).map((fact) => fact.outcome)).toEqual(['ok', 'unknown'])
    expect(here.begun('charge')).toBe(3)
    heir.kill('SIGKILL')
  })
})

describe('a model call in which the process dies', () => {
  test('is lost five times by default; the sixth owner asks nobody, and a person gives the run up', { timeout: 3 * SLOW }, async () => {
    const here = await place()
    let child = here.child({ start: [{ kind: 'stream', key: 'k' }], die: 'stream' })
    const thread = await startedBy(child, 'k')
    for (let attempt = 2; attempt <= 6; attempt++) {
      expect(await within(child.ended, SLOW)).toBe('SIGKILL')
      child = here.child({ resume: { threads: [thread], takeover: true }, die: 'stream' })
    }
    expect(await within(child.says({ settled: thread }), SLOW)).toMatchObject({ status: 'waiting' })
    expect(child.lines.some((line) => 'asked' in line)).toBe(false)
    const runtime = looking(here.store)
    const handle = runtime.thread(thread)
    const [wait] = (await runtime.waits({ thread })).items
    expect(wait).toMatchObject({ kind: 'quarantine', subject: { attempts: 5, model: 'main' } })
    expect(await runtime.answer(wait?.id ?? '', 'yes')).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(wait?.id ?? '', { remember: 'thread' })).toMatchObject({ state: 'invalid' })
    expect(await runtime.approve(wait?.id ?? '', { arguments: {} })).toMatchObject({ state: 'invalid' })
    expect(await runtime.deny(wait?.id ?? '', { reason: 'poison' })).toMatchObject({ state: 'accepted' })
    const heir = here.child({ resume: { threads: [thread] } })
    expect(await within(heir.says({ settled: thread }), SLOW)).toMatchObject({ status: 'failed' })
    expect(heir.lines.some((line) => 'asked' in line)).toBe(false)
    expect(await handle.settled()).toMatchObject({ error: { code: 'quarantined', message: expect.stringContaining('poison') } })
    expect(await handle.verify()).toMatchObject({ problems: [] })
  })
})

describe('a thread that is set aside', () => {
  const aside = () => {
    const thread = new PureThread(publicationOf())
    thread.message('begin')
    thread.crashes = 5
    return thread.claim()
  }

  test('opens its wait as the first commit of the attempt, and rests with a model call open', () => {
    const thread = new PureThread(publicationOf())
    thread.claim().message('begin')
    thread.commit()
    thread.crashes = 5
    const { types, plan, request } = thread.claim().commit()
    expect(types).toEqual(['attempt.claimed', 'wait.opened'])
    expect(plan).toMatchObject({ rest: true, timer: null, actions: [] })
    expect(request).toMatchObject({ row: { status: 'waiting' }, progress: true, open: [{ kind: 'quarantine' }] })
  })

  test('keeps messages until a person has decided', () => {
    const thread = aside()
    thread.commit()
    thread.message('and this', 'interrupt')
    expect(thread.commit().facts).toEqual([])
    expect(thread.pending).toHaveLength(1)
  })

  test('is cancelled at once', () => {
    const thread = aside()
    thread.commit()
    thread.deliver('cancel', { reason: 'enough' })
    expect(thread.commit().facts).toMatchObject([
      { type: 'run.cancelRequested' },
      { type: 'wait.resolved', as: 'cancelled' },
      { type: 'run.ended', status: 'cancelled' }
    ])
  })

  test('goes on in the attempt that reads the decision, and is counted anew', () => {
    const thread = aside()
    thread.commit()
    const [wait = ''] = thread.state.waits.keys()
    thread.deliver('decision', { wait, decision: { decision: 'approve' } })
    const { types, actions } = thread.commit()
    expect(types).toEqual(['wait.resolved', 'turn.started'])
    expect(actions).toHaveLength(1)
    thread.claim()
    expect(thread.commit().facts[1]).toMatchObject({ type: 'wait.opened', wait: wait.replace(/1$/, '2') })
  })

  test('is no longer driven by what a model says about it', () => {
    const thread = aside()
    thread.commit()
    const [wait = ''] = thread.state.waits.keys()
    thread.deliver('decision', { wait, decision: { decision: 'approve' } }, { kind: 'agent', id: 'thr_2' })
    // I12
    expect(thread.commit().facts.at(-1)).toMatchObject({ type: 'run.ended', status: 'failed', why: 'quarantined' })
  })

  test('has its run retried when it is given up and mended', async () => {
    const thread = aside()
    thread.commit()
    const [wait = ''] = thread.state.waits.keys()
    thread.deliver('decision', { wait, decision: { decision: 'deny' } })
    thread.commit()
    thread.deliver('start', { run: 'run_2', parts: [], retries: thread.state.run?.id ?? '' })
    expect(thread.commit().types).toEqual(['run.started', 'turn.started'])
    expect(thread.conversation.history).toHaveLength(1)
  })
})

test.each([0, -1, 1.5, Number.NaN, '3'])('a crash budget of %s is refused', (crashBudget) => {
  // B108
  const make = () =>
    runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { crashBudget: crashBudget as number }
    )
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})
