import { describe, expect, test } from 'vitest'
import type { ArtifactStore } from '../src/contracts/artifact.ts'
import { artifactsOf, bodiesOf } from '../src/contracts/fact-bodies.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { AGENT, DAY_MS, PLACES, QUESTION, RESULT, converse, get, readAll, talkative } from './large-bodies-kit.ts'
import { factsOf, runtimeFor, userTexts, within, resultsIn } from './runtime-kit.ts'

describe.each(Object.entries(PLACES))('large bodies, in %s', (_, place) => {
  test('of a message, a variable, arguments, a result and an answer leave the log, and another process goes on with the same history', async () => {
    const here = await place()
    const first = talkative()
    const opened = await here.open()
    const runtime = runtimeFor(first, { ...opened, tools: [get] })
    const thread = (await converse(runtime)).id
    await runtime.close()
    const facts = await factsOf(runtime.thread(thread))
    const spilled = facts.filter((fact) => artifactsOf([fact]).length > 0).map((fact) => fact.type)
    expect(spilled).toEqual([
      ...['variables.set', 'message.received', 'model.responded', 'call.gated', 'call.settled', 'model.responded', 'run.ended']
    ])
    expect(JSON.stringify(facts).length).toBeLessThan(20_000)
    const next = await here.open()
    const second = talkative()
    const other = runtimeFor(second, { ...next, tools: [get] })
    await other.thread(thread).message('and now?')
    expect(await within(other.thread(thread).settled())).toMatchObject({ status: 'completed', text: 'short' })
    const [asked = []] = second.prompts
    const before = first.prompts.at(-1) ?? []
    expect(asked.slice(0, before.length)).toEqual(before)
    expect(userTexts(asked)).toEqual([QUESTION, 'and now?'])
    expect([...resultsIn(asked).values()]).toEqual([{ type: 'text', value: RESULT }])
    expect(await other.thread(thread).verify()).toMatchObject({ problems: [] })
    expect((await other.thread(thread).prompt(1)).request.prompt).toEqual(asked)
  })

  test('are shown whole by events, live and read back, and by their beginning in logs, which read no artifact', async () => {
    const here = await place()
    const { store, artifacts = store.artifacts } = await here.open()
    let reads = 0
    const counting: ArtifactStore = {
      ...artifacts,
      get(tenant, digest) {
        reads += 1
        return artifacts.get(tenant, digest)
      }
    }
    const runtime = runtimeFor(talkative(), { store, artifacts: counting, tools: [get] })
    const handle = await runtime.start(AGENT, { input: QUESTION })
    const live = (await within(readAll(handle.events()))).filter((event) => 'cursor' in event)
    await within(handle.settled())
    reads = 0
    const [, message] = (await handle.log(1, 8_000_000)).flatMap((commit) => commit.facts.filter((fact) => 'parts' in fact))
    expect(message).toMatchObject({ parts: { artifact: expect.stringMatching(/^sha256:/), bytes: expect.any(Number) } })
    const previews = await within(readAll(handle.events({ bodies: 'preview' })))
    const received = previews.find((event) => event.type === 'message.received')
    expect(received).toMatchObject({ data: { parts: { preview: expect.stringMatching(/^q"\u20ac\nq.*\u2026$/s) } } })
    expect(reads).toBe(0)
    const again = (await within(readAll(handle.events()))).filter((event) => 'cursor' in event)
    expect(again).toEqual(live)
    expect(reads).toBeGreaterThan(0)
    const whole = (await handle.log(1, 80_000_000, { bodies: 'whole' })).flatMap((commit) => commit.facts)
    expect(whole.flatMap(bodiesOf).every((body) => 'inline' in body)).toBe(true)
  })

  test('come along in an export, and an import into another store has all of them', async () => {
    const here = await place()
    const runtime = runtimeFor(talkative(), { ...(await here.open()), tools: [get] })
    const handle = await converse(runtime)
    const lines = await readAll(handle.export())
    const kinds = lines.map((line) => JSON.parse(line)['type'])
    expect(kinds.filter((kind) => kind === 'artifact')).toHaveLength(7)
    for (const into of Object.values(PLACES)) {
      const other = runtimeFor(talkative(), { ...(await (await into()).open()), tools: [get] })
      expect(await other.import(lines)).toEqual({ thread: handle.id, state: 'imported' })
      expect(await other.import(lines)).toEqual({ thread: handle.id, state: 'repeated' })
      expect(await readAll(other.thread(handle.id).export())).toEqual(lines)
      expect(await other.thread(handle.id).verify()).toMatchObject({ problems: [] })
      expect((await other.artifacts.list()).items.every((entry) => entry.threads === 1)).toBe(true)
      await other.thread(handle.id).message('go on')
      expect(await within(other.thread(handle.id).settled())).toMatchObject({ status: 'completed', text: 'short' })
    }
  })

  test('belong to a fork as well, and stay when its source is gone', async () => {
    const clock = fakeClock()
    const model = talkative()
    const runtime = runtimeFor(model, { ...(await (await place(clock)).open()), clock, tools: [get] })
    const source = await converse(runtime)
    await clock.advance(2 * DAY_MS)
    const fork = await runtime.fork(source.id, { change: { message: 'otherwise' } })
    expect(await within(fork.settled())).toMatchObject({ status: 'completed', text: 'short' })
    await source.remove()
    await clock.advance(2 * DAY_MS)
    await runtime.artifacts.collect()
    expect(await fork.verify()).toMatchObject({ problems: [] })
    expect(userTexts(model.prompts.at(-1))).toEqual([QUESTION, 'otherwise'])
  })

  test('go a day after the last thread that named them', async () => {
    const clock = fakeClock()
    const { store, artifacts } = await (await place(clock)).open()
    const runtime = runtimeFor(talkative(), { store, ...(artifacts ? { artifacts } : {}), clock, tools: [get] })
    const handle = await converse(runtime, 'one')
    await converse(runtime, 'two')
    const count = (await runtime.artifacts.list()).items.length
    expect((await runtime.artifacts.list()).items.map((entry) => entry.threads)).toEqual(Array.from({ length: count }, () => 2))
    await clock.advance(2 * DAY_MS)
    expect(await runtime.artifacts.collect()).toEqual({ artifacts: 0, bytes: 0 })
    const { thread } = (await runtime.artifacts.list()).items[0] ?? {}
    expect(await handle.remove()).toBe(true)
    expect(await runtime.artifacts.collect()).toEqual({ artifacts: 0, bytes: 0 })
    expect(thread).toMatch(/^thr_/)
    for (const { id } of (await runtime.threads()).items) await runtime.thread(id).remove()
    const planned = await runtime.artifacts.collect({ dryRun: true })
    expect(planned).toMatchObject({ artifacts: count })
    expect(planned.bytes).toBeGreaterThan(RESULT.length)
    expect(await runtime.artifacts.collect()).toEqual(planned)
    expect((await runtime.artifacts.list()).items).toEqual([])
  })

  test('that are put at the same time as others are collected are never missing', async () => {
    const clock = fakeClock()
    const here = await place(clock)
    const first = await here.open()
    const runtime = runtimeFor(talkative(), { ...first, clock, tools: [get] })
    const collector = runtimeFor(talkative(), { ...(await here.open()), clock })
    for (let round = 0; round < 6; round++) {
      const handle = await converse(runtime, `round ${round}`)
      await handle.remove()
      await clock.advance(2 * DAY_MS)
      let isOver = false
      const collecting = (async () => {
        while (!isOver) {
          await collector.artifacts.collect()
          await new Promise((resolve) => setImmediate(resolve))
        }
      })()
      const kept = await converse(runtime, `kept ${round}`)
      isOver = true
      await collecting
      expect((await kept.verify()).problems).toEqual([])
      await kept.remove()
      await clock.advance(2 * DAY_MS)
    }
  })
})
