import { expect } from 'vitest'
import type { Effect, Fact } from '../../src/contracts/fact.ts'
import type { Store } from '../../src/contracts/store.ts'
import { resultsIn } from '../runtime-kit.ts'
import type { Ending, World } from './scenario.ts'
import { callsOf, wireIds } from './scenario.ts'

/** Tools of the scenarios that may all be repeated after a crash. */
export const REPEATABLE: { readonly [tool: string]: Effect } = {
  weigh: 'read',
  price: 'idempotent',
  stock: 'read',
  broken: 'idempotent',
  hang: 'read'
}
/** The same, and none may. */
export const ONCE: { readonly [tool: string]: Effect } = { weigh: 'once', price: 'once', stock: 'once', broken: 'once', hang: 'once' }

/** What two processes left, of which the first died. */
export interface Crashed extends Ending {
  /** What the log held when the first process was dead. */
  readonly before: readonly Fact[]
  readonly pending: readonly string[]
  /** What began in which process. */
  readonly first: World['begun']
  readonly second: World['begun']
}

/** What the log of the thread with this key holds, and what is in its inbox. */
export async function look(store: Store, key: string): Promise<{ readonly before: readonly Fact[]; readonly pending: readonly string[] }> {
  const { items } = await store.threads({ tenant: 'default', limit: 1_000 })
  const id = items.find((thread) => thread.key === key)?.id
  if (id === undefined) return { before: [], pending: [] }
  const commits = await store.read(id, 1, 8_000_000)
  return { before: commits.flatMap((commit) => commit.facts), pending: (await store.pending(id)).map((item) => item.kind) }
}

/** Each effect happened at most once, and what was started and not settled, and nothing else, is unknown to the model. */
export function checkOnce({ before, facts, prompt, first, second }: Crashed): void {
  const begun = [...first, ...second].map(({ call }) => call)
  expect(new Set(begun).size).toBe(begun.length)
  const { open } = callsOf(before)
  const { settled, open: left } = callsOf(facts)
  const unknown = [...settled.values()].filter((fact) => fact.outcome === 'unknown').map((fact) => fact.call)
  expect(new Set(unknown)).toEqual(open)
  expect(left.size).toBe(0)
  // What a person answers is no tool that begins.
  const answered = facts.flatMap((fact) => (fact.type === 'call.gated' && fact.by === 'question' ? [fact.call] : []))
  for (const fact of settled.values()) if (fact.outcome === 'ok') expect([...begun, ...answered]).toContain(fact.call)
  const shown = resultsIn(prompt)
  const wire = wireIds(facts)
  for (const [id, { result }] of settled) {
    const told =
      'inline' in result && 'error' in result.inline
        ? // Behind what the model is told of other arguments, where a person gave them.
          { type: 'error-text', value: expect.stringContaining(result.inline.error) }
        : { type: expect.stringMatching(/json|text/) }
    expect(shown.get(wire.get(id) ?? '')).toMatchObject(told)
  }
}

/** What was settled was not begun again, and whatever was begun again had the same key. */
export function checkRepeated({ before, first, second }: Crashed): void {
  const { settled } = callsOf(before)
  for (const { call } of second) expect(settled.has(call)).toBe(false)
  const keys = new Map(first.map(({ call, key }) => [call, key]))
  for (const { call, key } of second) expect(key).toBe(keys.get(call) ?? key)
  expect(new Set(second.map(({ call }) => call)).size).toBe(second.length)
}

/** Says where a check failed. */
export function expectEach(where: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof Error) error.message = `${where}: ${error.message}`
    throw error
  }
}
