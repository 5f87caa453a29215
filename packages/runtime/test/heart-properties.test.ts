import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Heart } from '../src/contracts/heart.ts'
import type { Publication } from '../src/contracts/publication.ts'
import { conversationHeart } from '../src/state/heart.ts'
import type { Conversation, State } from '../src/state/state.ts'
import { conversationOf, emptyState, hasOpenTurn } from '../src/state/state.ts'
import { checkHistory } from './model/check-history.ts'
import { checkShown } from './model/check-rest.ts'
import { foldLog } from './model/fold-log.ts'
import { answer, callPart, result, textPart } from './model/outcomes.ts'
import { FALLBACKS, publicationOf } from './model/publication.ts'
import { PureThread } from './model/pure-thread.ts'
import type { Step } from './model/script.ts'
import { anyStep, finish, play } from './model/script.ts'
import { propertyShare } from './model/share.ts'

const LIMITS = { maxTurns: 4, maxParallelCalls: 2, maxRepeatedCalls: 3, maxRetries: 1 }
const PUBLICATION: Publication = publicationOf(undefined, LIMITS, FALLBACKS)
const steps = fc.array(anyStep, { maxLength: 40, size: 'max' })

function played(given: readonly Step[]): PureThread {
  const thread = new PureThread(PUBLICATION).claim()
  for (const step of given) play(thread, step)
  return thread
}

function check(property: (given: readonly Step[]) => void): void {
  // Synchronous: what `assert` gives back is nothing to wait for.
  void fc.assert(fc.property(steps, property), propertyShare())
}

describe('on every log that the heart writes', () => {
  // I2
  test('plan and take give the same answer twice and change nothing', () => {
    check((given) => {
      const thread = new PureThread(PUBLICATION).claim()
      for (const step of given) {
        play(thread, step)
        const { state, attempt, now, pending } = thread
        const before = structuredClone(state)
        const context = { attempt, now, stopping: false, pending, sequence: thread.log.length + 1 }
        expect(conversationHeart.plan(state, context)).toEqual(conversationHeart.plan(before, context))
        expect(conversationHeart.take(state, pending, context)).toEqual(conversationHeart.take(before, pending, context))
        conversationHeart.project(state)
        // A clone has the data of a turn and its calls, not their classes.
        expect(isDeepStrictEqual(structuredClone(state), before)).toBe(true)
      }
    })
  })

  // I2
  test('the state that was kept and changed is the one that the log folds to', () => {
    check((given) => {
      const thread = played(given)
      expect(isDeepStrictEqual(thread.state, foldLog('thr_1', PUBLICATION, JSON.parse(JSON.stringify(thread.log))))).toBe(true)
    })
  })

  test('an evolve that reuses its state gives the same as one that copies it before every fact', () => {
    check((given) => {
      const { state, log } = played(given)
      let copied = emptyState('thr_1', PUBLICATION)
      for (const { at, attempt, sequence, facts } of log) {
        for (const fact of facts) copied = conversationHeart.evolve(structuredClone(copied), { at, attempt, sequence }, fact)
      }
      expect(isDeepStrictEqual(structuredClone(copied), structuredClone(state))).toBe(true)
    })
  })

  // I7
  test('the history is valid whenever no turn is open', () => {
    check((given) => {
      const thread = new PureThread(PUBLICATION).claim()
      for (const step of given) {
        play(thread, step)
        if (hasOpenTurn(thread.conversation)) continue
        expect(checkHistory(thread.conversation.history)).toBeNull()
        checkShown(thread.state, thread.conversation)
      }
    })
  })

  // I17
  test('a run that has ended leaves no call, no wait and no effect', () => {
    check((given) => {
      const thread = new PureThread(PUBLICATION).claim()
      for (const step of given) {
        play(thread, step)
        if (thread.state.run?.status === 'running') continue
        expect(thread.state.waits.size).toBe(0)
        expect(thread.conversation.turn?.calls.filter((call) => !call.settled) ?? []).toEqual([])
        expect(thread.plan().actions).toEqual([])
      }
    })
  })

  // I7
  test('every call of a closed turn has exactly one settlement', () => {
    check((given) => {
      const thread = played(given)
      expect(finish(thread)).toBe(true)
      const settled = thread.factsOf('call.settled').map((fact) => fact.call)
      const asked = thread.factsOf('model.responded').flatMap((fact) => {
        const parts = 'inline' in fact.parts ? fact.parts.inline : []
        return parts.filter((part) => part.type === 'tool-call' && !part.providerExecuted).map((_, position) => `${fact.turn}.${position}`)
      })
      // Those that a definition makes: some are left out.
      const injected = thread.factsOf('prompts.injected').flatMap(({ turn, prompts }) => {
        const calls = 'inline' in prompts ? prompts.inline.flatMap((prompt) => prompt.calls ?? []) : []
        return calls.map((_, position) => `${turn}.${position}`)
      })
      const made = injected.slice(0, settled.filter((call) => injected.includes(call)).length)
      expect(settled.toSorted()).toEqual([...asked, ...made].toSorted())
    })
  })

  test('any prefix goes on to an end under a new owner', () => {
    check((given) => {
      const { log } = played(given)
      for (let length = 1; length <= log.length; length++) {
        const thread = new PureThread(PUBLICATION)
        thread.log.splice(0, 1, ...log.slice(0, length))
        thread.attempt = 100
        thread.now = (log[length - 1]?.at ?? 0) + 1
        expect(finish(thread.claim())).toBe(true)
        expect(checkHistory(thread.conversation.history)).toBeNull()
      }
    })
  })

  // I10
  test('every item is consumed by exactly one commit, in whatever order they come', () => {
    check((given) => {
      const thread = played(given)
      expect(finish(thread)).toBe(true)
      const commits = thread.log.map(({ facts }) => [...new Set(facts.flatMap((fact) => fact.cause ?? []))])
      const consumed = commits.flat()
      expect(new Set(consumed).size).toBe(consumed.length)
      expect(thread.pending).toEqual([])
      expect(consumed.toSorted()).toEqual(thread.delivered.toSorted())
    })
  })
})

describe('a thread of 1,000 turns', () => {
  const TURNS = 1_000

  function longThread(turns: number): { readonly thread: PureThread; readonly bytes: readonly number[] } {
    const thread = new PureThread(publicationOf(undefined, { maxTurns: turns })).claim()
    const bytes: number[] = []
    thread.message()
    thread.commit()
    for (let turn = 1; turn < turns; turn++) {
      const asked = thread.commit(...answer(thread.state, [callPart('look', `{"n":${turn}}`)]))
      const { request } = thread.commit(result(thread.state, 0))
      bytes.push(JSON.stringify(asked.request).length + JSON.stringify(request).length)
    }
    thread.commit(...answer(thread.state, [textPart('done')]))
    return { thread, bytes }
  }

  const evolve: Heart<State>['evolve'] = conversationHeart.evolve
  const copying: Heart<State>['evolve'] = (state, stamp, fact) => {
    conversationOf(state).history.slice()
    return evolve(state, stamp, fact)
  }

  /** How often the elements of the history and of the set of call ids are touched while a log is folded. */
  function touches({ log, publication }: PureThread, fold = evolve): number {
    let count = 0
    const touch = (times = 1): void => {
      count += times
    }
    let state: State = emptyState('thr_1', publication)
    const conversation: Conversation = conversationOf(state)
    const history = new Proxy(conversation.history, {
      get(target, key, receiver) {
        touch()
        return Reflect.get(target, key, receiver)
      }
    })
    state.conversations.set('', { ...conversation, history, wireIds: new CountedSet(touch) })
    for (const { at, attempt, sequence, facts } of log) {
      for (const fact of facts) state = fold(state, { at, attempt, sequence }, fact)
    }
    return count
  }

  // I13
  test('folds with as much work for the last turn as for the first', () => {
    const [half, whole] = [longThread(TURNS / 2).thread, longThread(TURNS).thread]
    expect(touches(half)).toBeGreaterThan(TURNS / 2)
    expect(touches(whole)).toBeLessThanOrEqual(touches(half) * 2 + 10)
    expect(touches(whole, copying)).toBeGreaterThan(touches(half, copying) * 3)
  })

  // I13
  test('writes as much for the last turn as for the first, but for the digits of numbers', () => {
    const { bytes } = longThread(TURNS)
    expect(Math.max(...bytes) - Math.min(...bytes)).toBeLessThan(120)
  })
})

/** A set that tells how many of its elements are looked at. */
class CountedSet extends Set<string> {
  readonly #touch: (times?: number) => void

  constructor(touch: (times?: number) => void) {
    super()
    this.#touch = touch
  }

  override has(value: string): boolean {
    this.#touch()
    return super.has(value)
  }

  override add(value: string): this {
    this.#touch()
    return super.add(value)
  }

  override [Symbol.iterator](): SetIterator<string> {
    this.#touch(this.size)
    return super[Symbol.iterator]()
  }
}
