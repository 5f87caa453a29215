import { describe, expect, test } from 'vitest'
import { ALL_GRANTS, intersectGrants, NO_GRANTS } from '../src/grants/intersect-grants.ts'
import { compileRules, toRuleId } from '../src/grants/rule-layers.ts'
import { DEFAULT_GRANTS, parseWrittenGrants } from '../src/grants/written-grants.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { agent, caller, look, runtimeOf } from './approval-kit.ts'
import { refusalOf } from './refusal.ts'
import { factsOf, within } from './runtime-kit.ts'

const read = (value: unknown) => {
  const parsed = parseWrittenGrants(value)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  return parsed.value
}

describe('grants that somebody wrote', () => {
  test('that say nothing are those of a host that says nothing', () => {
    expect(read({})).toEqual(DEFAULT_GRANTS)
  })

  test('grant of the machine what they say, and of what is named elsewhere what is there', () => {
    expect(read({ files: { read: ['/data'] } })).toEqual({ ...DEFAULT_GRANTS, files: { read: ['/data'], write: [] } })
  })

  test.each(['tools', 'models', 'connections', 'definitions'] as const)(
    'narrow %s to what they list, and to nothing with an empty list',
    (field) => {
      expect(read({ [field]: [] })[field]).toEqual([])
      const listed = field === 'tools' ? 'host:pay' : 'one'
      expect(read({ [field]: [listed] })[field]).toEqual([listed])
    }
  )

  test('that say of agents that none may be started are not filled in', () => {
    expect(read({ agents: {} }).agents).toEqual(NO_GRANTS.agents)
  })

  test('that cannot be read grant nothing', () => {
    for (const value of [null, [], 'all', { file: {} }, { tools: ['pay'] }]) expect(parseWrittenGrants(value).ok).toBe(false)
  })
})

describe('a thread', () => {
  test.each([
    { host: {}, asked: undefined, ran: true },
    { host: { files: { read: ['/data'] } }, asked: undefined, ran: true },
    { host: {}, asked: { files: { read: ['/data'] } }, ran: true },
    { host: { tools: [] }, asked: undefined, ran: false },
    { host: { tools: ['host:other'] }, asked: undefined, ran: false },
    { host: {}, asked: { tools: [] }, ran: false }
  ])('of a host that grants $host and an agent that asks for $asked runs its tool: $ran', async ({ host, asked, ran }) => {
    const runtime = runtimeOf(memoryStore(), { tools: [look], grants: host, models: { main: caller({ name: 'look', arguments: {} }) } })
    const run = await runtime.start({ ...agent('look'), ...(asked && { grants: asked }) }, { input: 'go' })
    await within(run.settled())
    expect((await factsOf(run)).find((fact) => fact.type === 'call.settled')).toMatchObject({ outcome: ran ? 'ok' : 'blocked' })
  })

  // I8
  test('may do what it was made with and what is granted today, whoever asks', async () => {
    const store = memoryStore()
    const options = { tools: [look], models: { main: caller() } }
    const narrow = runtimeOf(store, { ...options, grants: { files: { read: ['/data/a'] }, tools: ['host:look', 'host:other'] } })
    const run = await narrow.start(agent('look'), { input: 'go' })
    await within(run.settled())
    const may = read({ files: { read: ['/data/a'] }, tools: ['host:look', 'host:other'] })
    expect(await run.grants()).toEqual(may)
    expect(await runtimeOf(store, { grants: ALL_GRANTS }).thread(run.thread).grants()).toEqual(may)
    const other = { files: { read: ['/data'] }, tools: ['host:look'] }
    expect(await runtimeOf(store, { grants: other }).thread(run.thread).grants()).toEqual(intersectGrants(may, read(other)))
    await refusalOf('thread_not_found', () => narrow.thread('thr_nobody').grants())
  })
})

describe('the id of a rule', () => {
  test('is the one that those are named by who ask', async () => {
    const rule = { effect: 'ask', tool: 'look' } as const
    const judge = await compileRules([{ id: 'host', rules: [rule] }])
    expect(judge({ identity: 'host:look', name: 'look', arguments: {} }).asks.map(({ id }) => id)).toEqual([toRuleId('host', rule)])
    expect(toRuleId('host', { ...rule, tool: 'pay' })).not.toBe(toRuleId('host', rule))
  })
})
