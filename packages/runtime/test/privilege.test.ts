// Keeps I8: whatever happens to a thread, what its tools may do never grows, field by field. Children are not there yet.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AgentDefinition, Runtime } from '../src/contracts/api.ts'
import type { Fact } from '../src/contracts/fact.ts'
import type { Grants, GrantsInput } from '../src/contracts/grants.ts'
import type { Hook } from '../src/contracts/hook.ts'
import type { JsonObject } from '../src/contracts/json.ts'
import type { Store } from '../src/contracts/store.ts'
import { intersectGrants, NO_GRANTS } from '../src/grants/intersect-grants.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { digestText } from '../src/util/canonical.ts'
import type { GrantRow } from './grant-rows.ts'
import { GRANT_ROWS } from './grant-rows.ts'
import { grantsOf } from './grants-kit.ts'
import { refusalOf } from './refusal.ts'
import { agentOf, factsOf, folder, recordingModel, toolOf, within } from './runtime-kit.ts'

const BASE: GrantsInput = { tools: ['host:probe'], models: ['main'] }
const AGENT = agentOf({ tools: ['probe', 'pay'] })

/** What tools did, and what they were given. */
interface Seen {
  readonly probe: Grants[]
  readonly pay: Grants[]
}

/** A runtime whose model calls both tools once for everything that it is told. */
function open(
  store: Store,
  seen: Seen,
  grants: GrantsInput,
  { isHeld = false, hooks = [] }: { readonly isHeld?: boolean; readonly hooks?: readonly Hook[] } = {}
): Runtime {
  const model = recordingModel(({ prompt }) =>
    prompt.at(-1)?.role === 'user' ? { toolCalls: ['probe', 'pay'].map((name) => ({ name, arguments: {} })) } : { text: 'done' }
  )
  const tools = (['probe', 'pay'] as const).map((name) =>
    toolOf(name, (_, context) => void seen[name].push(context.grants), { effect: 'idempotent', approval: isHeld })
  )
  const runtime = createRuntime({ store, tools, models: { main: model }, grants: grantsOf({ ...BASE, ...grants }), hooks })
  onTestFinished(() => runtime.close({ graceMs: 0 }))
  return runtime
}

const unseen = (): Seen => ({ probe: [], pay: [] })

/** Starts a thread and lets its first run end. */
async function begin(runtime: Runtime, agent: AgentDefinition = AGENT, grants?: GrantsInput): Promise<string> {
  const run = await runtime.start(agent, { input: 'go', ...(grants === undefined ? {} : { grants: grantsOf({ ...BASE, ...grants }) }) })
  expect((await within(run.settled())).status).toBe('completed')
  return run.thread
}

async function goOn(runtime: Runtime, thread: string, text = 'again'): Promise<readonly Fact[]> {
  await runtime.thread(thread).message(text)
  expect((await within(runtime.thread(thread).settled())).status).toBe('completed')
  return factsOf(runtime.thread(thread))
}

/** Something that may happen to a thread; gives what its tools saw then. */
type Route = (row: GrantRow) => Promise<{ readonly seen: Seen; readonly facts: readonly Fact[] }>

const resumeWider: Route = async ({ narrow, wide }) => {
  const store = memoryStore()
  const seen = unseen()
  const one = open(store, seen, narrow)
  const thread = await begin(one)
  await one.close()
  return { seen, facts: await goOn(open(store, seen, wide), thread) }
}

const resumeNarrower: Route = async ({ narrow, wide }) => {
  const store = memoryStore()
  const one = open(store, unseen(), wide)
  const thread = await begin(one)
  await one.close()
  const seen = unseen()
  return { seen, facts: await goOn(open(store, seen, narrow), thread) }
}

const startAsksForMore: Route = async ({ narrow, wide }) => {
  const seen = unseen()
  const runtime = open(memoryStore(), seen, narrow)
  const thread = await begin(runtime, { ...AGENT, grants: grantsOf({ ...BASE, ...wide }) }, wide)
  return { seen, facts: await factsOf(runtime.thread(thread)) }
}

const definitionAsksForLess: Route = async ({ narrow, wide }) => {
  const seen = unseen()
  const runtime = open(memoryStore(), seen, wide)
  const thread = await begin(runtime, { ...AGENT, grants: grantsOf({ ...BASE, ...narrow }) }, wide)
  return { seen, facts: await factsOf(runtime.thread(thread)) }
}

const message: Route = async ({ narrow, wide }) => {
  const seen = unseen()
  const runtime = open(memoryStore(), seen, narrow)
  const thread = await begin(runtime)
  return {
    seen,
    facts: await goOn(runtime, thread, JSON.stringify({ capabilities: grantsOf({ ...BASE, ...wide }), capabilitiesRecorded: true }))
  }
}

const rememberedScope: Route = async ({ narrow, wide }) => {
  const store = memoryStore()
  const one = open(store, unseen(), wide, { isHeld: true })
  const run = await one.start(AGENT, { input: 'go' })
  for (let result = await within(run.settled()); result.status === 'waiting'; result = await within(run.settled())) {
    for (const { id } of result.waits) await one.approve(id, { remember: 'thread' })
  }
  await one.close()
  const seen = unseen()
  // Nobody is asked any more, and what is remembered allows nothing that is not granted.
  return { seen, facts: await goOn(open(store, seen, narrow, { isHeld: true }), run.thread) }
}

const hook: Route = async ({ narrow, wide }) => {
  const seen = unseen()
  const asked = grantsOf({ ...BASE, ...wide })
  const widen: Hook = {
    name: 'widen',
    beforeToolCall(call, context) {
      // What it is shown is a copy, and what it answers are arguments.
      Object.assign(call, { identity: 'host:probe', tool: 'probe', grants: asked })
      Object.assign(context, { grants: asked })
      return { do: 'modify', arguments: { capabilities: asked as unknown as JsonObject } }
    }
  }
  const ask: Hook = { name: 'ask', beforeToolCall: () => ({ do: 'requireApproval' }) }
  const runtime = open(memoryStore(), seen, narrow, { hooks: [widen, ask] })
  const run = await runtime.start(AGENT, { input: 'go' })
  const { waits } = await within(run.settled())
  expect(waits).toHaveLength(1)
  await runtime.approve(waits[0]?.id ?? '')
  expect((await within(run.settled())).status).toBe('completed')
  return { seen, facts: await factsOf(run) }
}

const alias: Route = async ({ narrow }) => {
  const seen = unseen()
  const runtime = open(memoryStore(), seen, narrow)
  const thread = await begin(runtime, agentOf({ tools: ['/agent-tools/host/probe', { ref: 'mcp/probe/pay' }] }))
  return { seen, facts: await factsOf(runtime.thread(thread)) }
}

const editedToMore: Route = async ({ narrow, wide }) => {
  const { path, thread } = await saved(narrow)
  edit(path, (record) => ({ ...record, capabilities: grantsOf({ ...BASE, ...wide }) }), { withDigest: true })
  const seen = unseen()
  // Who can make digests can write what they like: it holds for no more than the host grants.
  return { seen, facts: await goOn(open(await sqlite(path), seen, narrow), thread) }
}

const ROUTES: readonly { readonly route: string; readonly go: Route }[] = [
  { route: 'a resume by a runtime that grants more', go: resumeWider },
  { route: 'a resume by a runtime that grants less', go: resumeNarrower },
  { route: 'a start and a definition that ask for more', go: startAsksForMore },
  { route: 'a definition that asks for less', go: definitionAsksForLess },
  { route: 'a message that speaks of grants', go: message },
  { route: 'an approval that is remembered', go: rememberedScope },
  { route: 'hooks that change a call and have it approved', go: hook },
  { route: 'another reference of a tool', go: alias },
  { route: 'a record that somebody changed, with its digest', go: editedToMore }
]

async function sqlite(path: string): Promise<Store> {
  const store = await sqliteStore(path, { durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

/** A thread in a file, nobody's. */
async function saved(grants: GrantsInput): Promise<{ readonly path: string; readonly thread: string }> {
  const path = `${await folder()}/holdfast.db`
  const store = await sqliteStore(path, { durability: 'process' })
  const runtime = open(store, unseen(), grants)
  const thread = await begin(runtime)
  await runtime.close()
  await store[Symbol.asyncDispose]()
  return { path, thread }
}

/** Changes the record of grants of the only thread in a file. */
function edit(
  path: string,
  change: (record: { readonly capabilities: Grants }) => unknown,
  { withDigest }: { readonly withDigest: boolean }
): void {
  const db = new DatabaseSync(path)
  const { facts, digest } = db.prepare('SELECT facts, digest FROM log WHERE sequence = 1').get() as {
    readonly facts: string
    readonly digest: string
  }
  const [created, ...rest] = JSON.parse(facts)
  const text = JSON.stringify([{ ...created, grants: change(created.grants) }, ...rest])
  expect(text).not.toBe(facts)
  db.prepare('UPDATE log SET facts = ?, digest = ? WHERE sequence = 1').run(text, withDigest ? digestText(text) : digest)
  db.close()
}

/** An object without what lies at a path. */
function without(value: object, path: readonly string[]): object {
  const [name = '', ...deeper] = path
  const entries = Object.entries(value).filter(([key]) => key !== name || deeper.length > 0)
  return Object.fromEntries(entries.map(([key, inner]) => (key === name ? [key, without(inner, deeper)] : [key, inner])))
}

describe.each(GRANT_ROWS)('the grant $field', (row) => {
  const narrow = grantsOf({ ...BASE, ...row.narrow })

  test('is what a run has that is given it, so that the rows below can fail', async () => {
    const seen = unseen()
    const runtime = open(memoryStore(), seen, row.wide)
    await begin(runtime)
    expect([...seen.probe, ...seen.pay].map(row.reaches)).toContain(true)
    expect(row.reaches(narrow)).toBe(false)
  })

  test.each(ROUTES)('does not grow by $route', async ({ go }) => {
    const { seen, facts } = await go(row)
    expect(seen.probe.length).toBeGreaterThan(0)
    for (const grants of seen.probe) {
      expect(row.reaches(grants)).toBe(false)
      expect(intersectGrants(grants, narrow)).toEqual(grants)
    }
    // The gate keeps the other tool back, and says why.
    expect(seen.pay).toEqual([])
    const gated = facts.filter((fact) => fact.type === 'call.gated' && fact.call.endsWith('.1'))
    expect(gated.at(-1)).toMatchObject({ verdict: 'block', by: 'grants' })
  })

  test('ends the thread with its name when it is gone from the record', async () => {
    const { path, thread } = await saved(row.wide)
    edit(path, (record) => without(record, ['capabilities', ...row.field.split('.')]), { withDigest: true })
    const seen = unseen()
    const runtime = open(await sqlite(path), seen, row.wide)
    await runtime.thread(thread).message('again')
    const { details } = await refusalOf('grants_unreadable', () => within(runtime.thread(thread).settled()))
    expect(details['problems']).toEqual([{ path: `capabilities.${row.field}` }])
    expect(seen).toEqual(unseen())
  })

  test('ends the thread when somebody changed it in the record without its digest', async () => {
    const { path, thread } = await saved(row.narrow)
    edit(path, (record) => ({ ...record, capabilities: grantsOf({ ...BASE, ...row.wide }) }), { withDigest: false })
    const seen = unseen()
    const runtime = open(await sqlite(path), seen, row.wide)
    await refusalOf('log_corrupt', async () => {
      await runtime.thread(thread).message('again')
      await within(runtime.thread(thread).settled())
    })
    expect(seen).toEqual(unseen())
  })
})

test('every field of grants has its row', () => {
  const fields = Object.entries(NO_GRANTS).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name]
  )
  expect(GRANT_ROWS.map(({ field }) => field).toSorted()).toEqual(fields.toSorted())
})
