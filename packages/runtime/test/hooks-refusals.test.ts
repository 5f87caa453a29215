import { describe, expect, test } from 'vitest'
import type { Fact } from '../src/contracts/fact.ts'
import type { BeforeToolCall, Hook } from '../src/contracts/hook.ts'
import type { AppendRequest, Store } from '../src/contracts/store.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { caller, runtimeOf } from './approval-kit.ts'
import { before, paid, paying } from './hook-kit.ts'
import { agentOf, factsOfType, latch, runThrough, within } from './runtime-kit.ts'

describe('a hook that cannot judge blocks the call, as a fault (I9):', () => {
  const broken: readonly (readonly [string, () => unknown])[] = [
    [
      'it throws',
      () => {
        throw new Error('boom')
      }
    ],
    [
      'it throws something that is no text',
      () => {
        throw Object.create(null)
      }
    ],
    ['it rejects', () => Promise.reject(new Error('boom'))],
    ['it answers true', () => true],
    ['it answers a text', () => 'block'],
    ['it names no act', () => ({ reason: 'x' })],
    ['it names an act that is none', () => ({ do: 'allow' })],
    ['it says more than belongs to the act', () => ({ do: 'block', reason: 'x', result: 1 })],
    ['it blocks without a reason', () => ({ do: 'block', reason: ' ' })],
    ['it modifies without arguments', () => ({ do: 'modify' })],
    ['its arguments are a list', () => ({ do: 'modify', arguments: [1] })],
    ['its arguments do not fit the schema', () => ({ do: 'modify', arguments: { amount: 0 } })],
    ['its arguments have a field too many', () => ({ do: 'modify', arguments: { amount: 2, to: 'me' } })],
    ['its arguments are no JSON', () => ({ do: 'modify', arguments: { amount: Number.NaN } })],
    ['it responds with a function', () => ({ do: 'respond', result: () => 1 })],
    ['it responds with nothing', () => ({ do: 'respond' })],
    ['it asks for nobody', () => ({ do: 'requireApproval', quorum: 0 })]
  ]

  test.each(broken)('%s', async (_title, act) => {
    const { ledger, gated, facts, result, told } = await paid({ hooks: [before('broken', act as () => BeforeToolCall)] })
    expect(ledger.ran).toEqual([])
    expect(gated).toMatchObject({ verdict: 'block', by: 'fault', arguments: { inline: { amount: 12 } } })
    expect(facts.filter((fact) => fact.type === 'hook.recorded')).toMatchObject([{ hook: 'broken', did: 'failed' }])
    expect(told).toMatchObject([{ type: 'error-text' }])
    expect(result.status).toBe('completed')
  })

  test('it hangs, and its signal aborts at the time limit', async () => {
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const hang = before('hang', (_call, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    const { run, ledger } = await paying({ hooks: [hang], store: memoryStore({ clock }), options: { clock } })
    expect((await runThrough(clock, run.settled())).status).toBe('completed')
    expect((await factsOfType(run, 'call.gated'))[0]).toMatchObject({ verdict: 'block', by: 'fault' })
    expect(await factsOfType(run, 'hook.recorded')).toMatchObject([{ hook: 'hang', did: 'failed' }])
    expect(signals[0]?.aborted).toBe(true)
    expect(ledger.ran).toEqual([])
  })

  test('each one has its own time', async () => {
    const clock = fakeClock()
    const slow = (name: string): Hook => before(name, async () => clock.sleep(9_000).then(() => undefined), { timeoutMs: 9_500 })
    const hooks = [slow('a'), slow('b'), slow('c')]
    const { run, ledger } = await paying({ hooks, store: memoryStore({ clock }), options: { clock } })
    expect((await runThrough(clock, run.settled())).status).toBe('completed')
    expect(ledger.ran).toHaveLength(1)
  })

  test('its run is cancelled: the hook is aborted, and nothing runs', async () => {
    const asked = latch<AbortSignal>()
    const hang = before('hang', (_call, { signal }) => {
      asked.open(signal)
      return new Promise(() => {})
    })
    const { run, ledger } = await paying({ hooks: [hang] })
    const signal = await within(asked.opened)
    await run.cancel()
    expect((await within(run.settled())).status).toBe('cancelled')
    expect(signal.aborted).toBe(true)
    expect(ledger.ran).toEqual([])
  })
})

test('a secret that a hook puts into arguments blocks the call and stands nowhere', async () => {
  const secrets = createSecretRegistry()
  secrets.add('TOKEN', 'hunter2hunter2')
  const leak = before('leak', () => ({ do: 'modify', arguments: { amount: 3, note: 'hunter2hunter2' } }))
  const { gated, facts, ledger } = await paid({ hooks: [leak], options: { secrets } })
  expect(gated).toMatchObject({ verdict: 'block', by: 'secret_in_arguments' })
  expect(JSON.stringify(facts)).not.toContain('hunter2')
  expect(ledger.ran).toEqual([])
})

describe('names of hooks', () => {
  test('that the host does not register are refused when a definition is published', async () => {
    const runtime = runtimeOf(memoryStore(), { models: { main: caller() }, registeredHooks: [before('audit', () => undefined)] })
    await expect(runtime.publish(agentOf({ hooks: ['audlt'] }))).rejects.toMatchObject({
      code: 'invalid_manifest',
      details: { problems: [{ path: 'hooks[0]', code: 'invalid', nearMiss: 'audit' }] }
    })
    await expect(runtime.publish(agentOf({ hooks: ['audit', { name: 'audit' }] }))).rejects.toMatchObject({ code: 'invalid_manifest' })
    const { definition, digest } = await runtime.publish(agentOf({ hooks: ['audit'] }))
    expect(definition.hooks).toEqual([{ name: 'audit' }])
    expect((await runtime.publish(agentOf({ hooks: [] }))).digest).toBe((await runtime.publish(agentOf())).digest)
    expect((await runtime.publish(agentOf())).digest).not.toBe(digest)
  })

  test('must be names, and each the name of one hook', () => {
    const make =
      (...hooks: Hook[]) =>
      () =>
        runtimeOf(memoryStore(), { hooks, registeredHooks: [before('audit', () => undefined)] })
    expect(make(before('a b', () => undefined))).toThrow(expect.objectContaining({ code: 'invalid_input' }))
    expect(make(before('audit', () => undefined))).toThrow(expect.objectContaining({ code: 'invalid_input' }))
    expect(make(before('late', () => undefined, { timeoutMs: 0 }))).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  test('that a thread needs and this runtime lacks keep it from being driven here', async () => {
    const store = memoryStore()
    const asked = latch()
    const never = before('audit', () => {
      asked.open()
      return new Promise(() => {})
    })
    const { run, runtime } = await paying({ store, registered: [never], named: ['audit'] })
    await within(asked.opened)
    await runtime.close({ graceMs: 0 })
    const other = await paying({ store })
    await expect(other.runtime.thread(run.thread).resume()).rejects.toMatchObject({
      code: 'thread_unplaceable',
      details: { missing: ['hook:audit'] }
    })
  })
})

describe('without hooks', () => {
  /** The commits of a run, each by its facts. */
  async function commitsWith(hooks: readonly Hook[]) {
    const store = memoryStore()
    const requests: (readonly Fact['type'][])[] = []
    const counted: Store = Object.assign(Object.create(store) as Store, {
      append: (request: AppendRequest) => {
        requests.push(request.facts.map((fact) => fact.type))
        return store.append(request)
      }
    })
    await paid({ store: counted, hooks: [...hooks] })
    return requests
  }

  test('a call is gated and started in the commit of the answer; with one the same facts take one commit more', async () => {
    const plain = await commitsWith([])
    expect(plain).toEqual([
      ['attempt.claimed', 'run.started', 'message.received', 'turn.started'],
      ['model.responded', 'call.gated', 'call.started'],
      ['call.settled', 'turn.started'],
      ['model.responded', 'run.ended']
    ])
    expect(await commitsWith([{ name: 'blind' }])).toEqual(plain)
    const hooked = await commitsWith([before('watch', () => undefined)])
    expect(hooked.flat()).toEqual(plain.flat())
    expect(hooked).toHaveLength(plain.length + 1)
  })
})
