// Calls whose process has died: what the tool knows of them, what a person says, and what the model is told.
import { describe, expect, test } from 'vitest'
import type { Effect } from '../src/contracts/fact.ts'
import type { Json } from '../src/contracts/json.ts'
import type { ReconcileAnswer } from '../src/contracts/fact.ts'
import { LATE_START_MS } from '../src/state/plan-started.ts'
import { answer, callPart, reconciled } from './model/outcomes.ts'
import { publicationOf, toolOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'

const TIMEOUT_MS = 5_000
const OVER_MS = TIMEOUT_MS + LATE_START_MS

const TOOLS = [
  toolOf('pay', { effect: 'once' }),
  toolOf('charge', { effect: 'once', reconcile: true }),
  toolOf('ship', { effect: 'once', onUnknown: 'ask' }),
  toolOf('bill', { effect: 'once', reconcile: true, onUnknown: 'ask' }),
  toolOf('look', { effect: 'read' }),
  toolOf('write', { effect: 'idempotent' }),
  toolOf('put', { effect: 'idempotent', onUnknown: 'ask' })
]

/** A thread whose call was started by an owner that is gone. */
function lost(tool: string): PureThread {
  const thread = new PureThread(publicationOf(TOOLS)).claim()
  thread.message()
  thread.commit()
  thread.commit(...answer(thread.state, [callPart(tool)]))
  thread.claim()
  return thread
}

function say(thread: PureThread, said: ReconcileAnswer, final = false): readonly string[] {
  return thread.commit(reconciled(thread.state, thread.call(0), said, final)).types
}

function ends(thread: PureThread): readonly string[] {
  return thread.factsOf('call.settled').map((fact) => fact.outcome)
}

const starts = (thread: PureThread): readonly (readonly [number, number, Effect])[] =>
  thread.factsOf('call.started').map((fact) => [fact.try, fact.leg, fact.effect])

describe('a call whose process has died, of a tool that can say what it did', () => {
  test('is asked about at once, and again only when nothing more can come of it; nobody is busy until then', () => {
    const thread = lost('charge')
    expect(thread.commit().actions).toEqual(['run_1//1.0#1.1?first'])
    say(thread, 'not_done')
    expect(thread.plan()).toMatchObject({ actions: [], rest: true, timer: (thread.call(0).started?.stamp.at ?? 0) + OVER_MS })
    thread.now += OVER_MS - 1
    expect(thread.plan().actions).toEqual([])
    thread.now += 1
    expect(thread.commit().actions).toEqual(['run_1//1.0#1.1?final'])
  })

  // B043
  test.each([
    { said: 'done', final: false, outcomes: ['ok'], tries: 1 },
    { said: 'done', final: true, outcomes: ['ok'], tries: 1 },
    { said: 'unknown', final: false, outcomes: ['unknown'], tries: 1 },
    { said: 'not_done', final: false, outcomes: [], tries: 1 },
    { said: 'not_done', final: true, outcomes: [], tries: 2 },
    { said: 'failed', final: false, outcomes: [], tries: 1 },
    { said: 'failed', final: true, outcomes: ['unknown'], tries: 1 }
  ] as const)('which says $said (at last: $final): ends as $outcomes, $tries starts', ({ said, final, outcomes, tries }) => {
    const thread = lost('charge')
    if (final) thread.now += OVER_MS
    thread.commit()
    say(thread, said, final)
    expect(ends(thread)).toEqual(outcomes)
    expect(starts(thread)).toHaveLength(tries)
  })

  test('is given up as not done after three starts', () => {
    const thread = lost('charge')
    for (let count = 1; count <= 3; count++) {
      thread.now += OVER_MS
      thread.commit()
      say(thread, 'not_done', true)
      thread.claim()
    }
    expect(ends(thread)).toEqual(['error'])
    expect(starts(thread).map(([count]) => count)).toEqual([1, 2, 3])
  })
})

describe('a call whose process has died, of a tool that wants a person to be asked', () => {
  const asked = (tool: string): PureThread => {
    const thread = lost(tool)
    thread.now += OVER_MS
    thread.commit()
    return thread
  }

  test('opens a wait when nothing more can come of it, with what is needed to look', () => {
    const thread = lost('ship')
    expect(thread.commit().plan).toMatchObject({ rest: true })
    expect(thread.factsOf('wait.opened')).toEqual([])
    thread.now += OVER_MS
    const { request } = thread.commit()
    expect(request.open).toMatchObject([{ id: 'thr_1:run_1//1.0:outcome:1', kind: 'outcome' }])
    const startedAt = thread.call(0).started?.stamp.at
    expect(request.open[0]?.subject).toMatchObject({ tool: 'ship', try: 1, leg: 1, startedAt, key: 'thr_1:run_1//1.0', effect: 'once' })
    expect(request.row.status).toBe('waiting')
  })

  // I12
  test.each<{ decision: Json; outcomes: readonly string[]; tries: number }>([
    { decision: { decision: 'outcome', outcome: 'happened', result: 'paid' }, outcomes: ['ok'], tries: 1 },
    { decision: { decision: 'outcome', outcome: 'happened' }, outcomes: ['ok'], tries: 1 },
    { decision: { decision: 'outcome', outcome: 'not_happened' }, outcomes: [], tries: 2 },
    { decision: { decision: 'outcome', outcome: 'unknown' }, outcomes: ['unknown'], tries: 1 },
    { decision: { decision: 'approve' }, outcomes: ['unknown'], tries: 1 },
    { decision: 'not_happened', outcomes: ['unknown'], tries: 1 }
  ])('who says $decision: ends as $outcomes, $tries starts', ({ decision, outcomes, tries }) => {
    const thread = asked('ship')
    thread.decide(0, decision)
    thread.commit()
    expect(ends(thread)).toEqual(outcomes)
    expect(starts(thread)).toHaveLength(tries)
    if (tries === 2) expect(thread.plan().actions.map((action) => action.id)).toEqual(['run_1//1.0#2.1'])
  })

  // I12
  test('hears nobody but a person or the host', () => {
    const thread = asked('ship')
    thread.deliver(
      'decision',
      { wait: thread.call(0).wait, decision: { decision: 'outcome', outcome: 'not_happened' } },
      { kind: 'agent', id: 'a' }
    )
    thread.commit()
    expect(ends(thread)).toEqual(['unknown'])
  })

  test('asks first the tool, then the person', () => {
    const thread = lost('bill')
    thread.now += OVER_MS
    expect(thread.commit().actions).toEqual(['run_1//1.0#1.1?final'])
    expect(say(thread, 'failed', true)).toContain('wait.opened')
  })

  test('asks of a tool that may be repeated when that has not helped', () => {
    const thread = lost('put')
    for (let count = 1; count < 3; count++) {
      thread.commit()
      thread.claim()
    }
    thread.now += OVER_MS
    expect(thread.commit().types).toContain('wait.opened')
    expect(starts(thread).map(([count]) => count)).toEqual([1, 2, 3])
  })

  test('is settled as unknown by a cancel', () => {
    const thread = asked('ship')
    thread.deliver('cancel', {})
    thread.commit()
    expect(ends(thread)).toEqual(['unknown'])
    expect(thread.factsOf('wait.resolved').map((fact) => fact.as)).toEqual(['cancelled'])
  })
})

test.each([
  { said: 'done', final: false, outcome: 'ok' },
  { said: 'not_done', final: true, outcome: 'cancelled' },
  { said: 'not_done', final: false, outcome: 'unknown' },
  { said: 'failed', final: true, outcome: 'unknown' }
] as const)('what its tool says ($said, final: $final) of a call that is cancelled at that moment counts', ({ said, final, outcome }) => {
  const thread = lost('charge')
  thread.commit()
  thread.deliver('cancel', {})
  say(thread, said, final)
  expect(ends(thread)).toEqual([outcome])
  expect(thread.factsOf('call.started')).toHaveLength(1)
})

// B043
test('a call of any other tool is settled as unknown at once', () => {
  const thread = lost('pay')
  thread.commit()
  expect(ends(thread)).toEqual(['unknown'])
})

test.each(['look', 'write'])('%s may be repeated, and is settled as unknown after three starts', (tool) => {
  const thread = lost(tool)
  for (let count = 1; count < 3; count++) {
    thread.commit()
    thread.claim()
  }
  thread.commit()
  expect(starts(thread).map(([count]) => count)).toEqual([1, 2, 3])
  expect(ends(thread)).toEqual(['unknown'])
  // What the model reads does not warn of what cannot be.
  const [settled] = thread.factsOf('call.settled')
  expect(JSON.stringify(settled?.result).includes('may have happened')).toBe(tool !== 'look')
})
