import { describe, expect, test } from 'vitest'
import type { SinkEvent } from '../src/contracts/event-sink.ts'
import type { CostReport, Hook, StateChange } from '../src/contracts/hook.ts'
import type { Logger } from '../src/contracts/tool.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { paying } from './hook-kit.ts'
import { factsOf, runThrough, within } from './runtime-kit.ts'

/** A logger that keeps its warnings. */
function keeping(): { readonly logger: Logger; readonly warnings: string[] } {
  const warnings: string[] = []
  const silent = (): void => {}
  return { warnings, logger: { debug: silent, info: silent, error: silent, warn: (message) => void warnings.push(message) } }
}

/** Pays with these hooks, and closes the runtime, so that everything has been told. */
async function observed(setting: Parameters<typeof paying>[0]) {
  const made = await paying(setting)
  const result = await within(made.run.settled())
  const facts = await factsOf(made.run)
  await within(made.runtime.close())
  return { ...made, result, facts }
}

describe('a hook that observes', () => {
  test('is told the events of a thread in their order, streamed ones between them', async () => {
    const events: SinkEvent[] = []
    const { facts } = await observed({ hooks: [{ name: 'watch', onEvent: (event) => void events.push(event) }] })
    const committed = events.filter((event) => 'cursor' in event)
    // The birth of the thread is committed by whoever starts it.
    expect(committed.map(({ type }) => type)).toEqual(facts.slice(1).map(({ type }) => type))
    expect(committed.map(({ cursor }) => [cursor.sequence, cursor.index])).toEqual(
      committed.map(({ cursor }) => [cursor.sequence, cursor.index]).toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)
    )
    const types = events.map(({ type }) => type)
    expect(types.indexOf('arguments.delta')).toBeGreaterThan(types.indexOf('turn.started'))
    expect(types.indexOf('arguments.delta')).toBeLessThan(types.indexOf('model.responded'))
  })

  test('is told what each answer used and cost', async () => {
    const reports: CostReport[] = []
    const { result, run } = await observed({ hooks: [{ name: 'meter', onCost: (report) => void reports.push(report) }] })
    expect(reports.map(({ turn }) => turn)).toEqual([`${run.run}//1`, `${run.run}//2`])
    expect(reports.reduce((sum, { usage }) => sum + usage.outputTokens, 0)).toBe(result.usage.outputTokens)
    expect(reports).toMatchObject([{ thread: run.thread, run: run.run, model: 'main' }, { thread: run.thread }])
  })

  test('is told how the thread comes to rest and goes on', async () => {
    const changes: StateChange[] = []
    const hooks: Hook[] = [{ name: 'states', onStateChange: (change) => void changes.push(change) }]
    const made = await paying({ hooks, options: { permissions: [{ effect: 'ask', tool: 'pay' }] } })
    const { waits } = await within(made.run.settled())
    await made.runtime.deny(waits[0]?.id ?? '')
    await within(made.run.settled())
    await within(made.runtime.close())
    const states = changes.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1])
    expect(states).toEqual(['running', 'waiting', 'running', 'completed'])
    expect(changes[0]).toMatchObject({ thread: made.run.thread, run: made.run.run })
  })

  test("observes only threads whose definition names it, unless it is the host's", async () => {
    const seen: string[] = []
    const spy: Hook = { name: 'spy', onCost: (_report, { options }) => void seen.push(JSON.stringify(options ?? null)) }
    await observed({ registered: [spy] })
    expect(seen).toEqual([])
    await observed({ registered: [spy], named: [{ name: 'spy', options: { level: 'high' } }] })
    expect(seen).toEqual(['{"level":"high"}', '{"level":"high"}'])
  })
})

describe('a hook that fails to observe changes nothing (I9):', () => {
  const failing: readonly (readonly [string, () => unknown])[] = [
    [
      'it throws',
      () => {
        throw new Error('boom')
      }
    ],
    ['it rejects', () => Promise.reject(new Error('boom'))]
  ]
  test.each(failing)('%s', async (_title, act) => {
    const { logger, warnings } = keeping()
    const fail = act as () => void
    const hook: Hook = { name: 'broken', onEvent: fail, onCost: fail, onStateChange: fail }
    const { facts, result, ledger } = await observed({ hooks: [hook], options: { logger } })
    const plain = await observed({})
    expect(result.status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
    expect(facts.map(({ type }) => type)).toEqual(plain.facts.map(({ type }) => type))
    // The first one, and how many there were.
    expect(warnings.filter((message) => message.includes('broken'))).toHaveLength(2)
  })

  test('it answers as if it might change something', async () => {
    const block = (() => ({ do: 'block', reason: 'no' })) as unknown as () => void
    const { ledger, result } = await observed({ hooks: [{ name: 'block', onEvent: block, onCost: block, onStateChange: block }] })
    expect(result.status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
  })

  test('it changes what it is given', async () => {
    const wreck = (event: object): void => {
      for (const key of Object.keys(event)) Reflect.set(event, key, null)
    }
    const deep = (event: SinkEvent): void => {
      if ('data' in event && 'parts' in event.data) wreck(event.data.parts)
      wreck(event)
    }
    const { result, model } = await observed({ hooks: [{ name: 'vandal', onEvent: deep, onCost: wreck }] })
    expect(result).toMatchObject({ status: 'completed', text: 'done' })
    expect(JSON.stringify(model.prompts[1])).toContain('go')
  })

  test('it hangs: its signal aborts, it is told the next thing, and the run has not waited', async () => {
    const clock = fakeClock()
    const { logger, warnings } = keeping()
    const signals: AbortSignal[] = []
    const hang: Hook = {
      name: 'hang',
      timeoutMs: 1_000,
      onCost: (_report, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      }
    }
    const { run, runtime, ledger } = await paying({ hooks: [hang], store: memoryStore({ clock }), options: { clock, logger } })
    expect((await runThrough(clock, run.settled())).status).toBe('completed')
    await runThrough(clock, runtime.close())
    expect(ledger.ran).toHaveLength(1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(warnings.filter((message) => message.includes('hang'))).toHaveLength(2)
  })
})
