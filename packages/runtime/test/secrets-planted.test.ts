import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import { HoldfastError } from '../src/contracts/errors.ts'
import type { HoldfastEvent } from '../src/contracts/event.ts'
import type { SecretRegistry } from '../src/contracts/secrets.ts'
import type { Logger } from '../src/contracts/tool.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { jsonlSink } from '../src/telemetry/jsonl-sink.ts'
import { agentOf, folder, runtimeFor, streamingModel, toolOf, within } from './runtime-kit.ts'
import { describeError, numbered, ODD, PLAIN, registry, spelledIn, spellingsOf, VALUES } from './secret-kit.ts'
import { call, finish, text } from './stream-parts.ts'

/** Both values, each cut in two at every position. */
function* pieces(id: string, kind: 'text' | 'reasoning'): Generator<LanguageModelV4StreamPart> {
  for (const value of VALUES) {
    for (let at = 0; at <= value.length; at++) {
      for (const delta of [`<${value.slice(0, at)}`, `${value.slice(at)}> `]) yield { type: `${kind}-delta`, id, delta }
    }
  }
}

function* answer(): Generator<LanguageModelV4StreamPart> {
  yield* pieces('r', 'reasoning')
  yield* pieces('t', 'text')
  // One text ends with the beginning, and the next one goes on.
  yield text('t1', `over ${PLAIN.slice(0, 10)}`)
  yield text('t2', `${PLAIN.slice(10)}.`)
  for (const [index, value] of VALUES.entries()) {
    const args = JSON.stringify({ key: value })
    yield { type: 'tool-input-start', id: `s${index}`, toolName: 'leak' }
    for (const delta of args) yield { type: 'tool-input-delta', id: `s${index}`, delta }
    yield call(`s${index}`, 'leak', args)
    yield call(`n${index}`, 'leak', `{"key":"${numbered(value)}"}`)
    yield call(`k${index}`, 'leak', JSON.stringify({ [value]: [{ [value]: 1 }] }))
    yield call(`d${index}`, 'leak', `{"key":${JSON.stringify(value)},"key":"twice"}`)
    yield call(`b${index}`, 'leak', `{"key":${JSON.stringify(value)}`)
    yield call(`u${index}`, `no ${value}`, '{}')
    yield call(`${value}`, 'get', '{}')
  }
  yield call('f', 'boom', '{}')
  yield { type: 'source', sourceType: 'url', id: '1', url: `https://example.com/?key=${encodeURIComponent(ODD)}` }
  yield { type: 'response-metadata', modelId: `model ${PLAIN}` }
  yield finish('tool-calls')
}

/** All that is left of a scenario, by where it is found. */
type Traces = { readonly [where: string]: string }

/** A thread to whose every opening a secret is given. */
async function leaveTraces(secrets: SecretRegistry | undefined): Promise<Traces> {
  const path = await folder()
  const logs: unknown[] = []
  const note = (...line: readonly unknown[]): void => void logs.push(line)
  const logger: Logger = { debug: note, info: note, warn: note, error: note }
  const tools = [
    toolOf('leak', (input) => input),
    toolOf('get', (_, context) => {
      for (const value of VALUES) {
        context.progress(`reading ${value}`)
        context.logger.info(`read ${value}`, { value, [value]: [value] })
      }
      return { env: Object.fromEntries(VALUES.map((value) => [value, [value, 1]])), spelled: VALUES.flatMap(spellingsOf) }
    }),
    toolOf('boom', () => {
      throw new HoldfastError('internal', `refused: ${VALUES.join(' ')}`, { details: { key: PLAIN }, cause: new Error(ODD) })
    })
  ]
  const model = streamingModel(({ request }) => {
    if (request === 1) return answer()
    if (request === 3)
      throw Object.assign(new Error(`no such key: ${VALUES.join(' ')}`), { statusCode: 401, data: { error: { message: PLAIN } } })
    if (request === 4) return [text('t', 'a beginning'), { type: 'error', error: { message: `key ${VALUES.join(' ')}`, code: 'invalid' } }]
    return [text('t', `at last ${VALUES.join(' ')}`), finish('stop')]
  })
  const store = await sqliteStore(join(path, 'holdfast.db'), { durability: 'process' })
  const sinks = [jsonlSink(join(path, 'events.jsonl'), { transient: true })]
  const runtime = runtimeFor(model, { store, tools, sinks, logger, ...(secrets && { secrets }) })
  const agent = agentOf({
    tools,
    systemPrompt: 'Use {{ a }}.',
    prompt: 'With {{ a }}.',
    variables: [
      { key: 'a', type: 'string', requiresOverride: true },
      { key: 'b', type: 'object', value: {} }
    ],
    limits: { maxToolCallsPerIteration: 100, maxRetries: 0 }
  })
  const handle = await runtime.start(agent, { variables: { a: PLAIN, b: { [ODD]: ODD } }, idempotencyKey: `start ${PLAIN}` })
  const events = collect(handle)
  const first = await within(handle.settled())
  const receipts: unknown[] = [handle.redacted]
  const results: unknown[] = [first]
  for (const [index, value] of VALUES.entries()) {
    const parts = [value.slice(0, 9), value.slice(9), JSON.stringify({ value })].map((each) => ({ type: 'text' as const, text: each }))
    receipts.push(await handle.message(parts, { id: `${index} ${value}` }))
    results.push(await within(handle.settled()))
  }
  const gone = runtime.thread('thr_none')
  const errors = await Promise.all([
    runtime.start(agent, { variables: { a: 'x', [PLAIN]: ODD } }).catch(describeError),
    gone.message(PLAIN, { id: `${PLAIN}`.repeat(100) }).catch(describeError)
  ])
  const page = await handle.log(1, 1e9)
  const seen = await events
  await runtime.close()
  await store[Symbol.asyncDispose]()
  const files = await Promise.all((await readdir(path)).map(async (name) => [name, (await readFile(join(path, name))).toString()] as const))
  return {
    ...Object.fromEntries(files),
    prompts: JSON.stringify(model.prompts),
    logs: JSON.stringify(logs),
    events: JSON.stringify(seen),
    shown: ['text.delta', 'reasoning.delta', 'arguments.delta'].map((type) => joined(seen, type)).join('\n'),
    results: JSON.stringify(results),
    receipts: JSON.stringify(receipts),
    errors: JSON.stringify(errors),
    log: JSON.stringify(page)
  }
}

/** The pieces of one kind as a reader sees them, one after the other. */
function joined(events: readonly HoldfastEvent[], type: string): string {
  return events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])).join('')
}

async function collect(handle: ThreadHandle): Promise<readonly HoldfastEvent[]> {
  const events: HoldfastEvent[] = []
  let runs = 0
  for await (const event of handle.events({ follow: true })) {
    events.push(event)
    if (event.type === 'run.ended' && ++runs === 1 + VALUES.length) break
  }
  return events
}

describe('a secret that is given to a thread in every way', () => {
  test('is found nowhere, in none of its forms', async () => {
    const traces = await leaveTraces(registry())
    expect(Object.keys(traces)).toEqual(expect.arrayContaining(['holdfast.db', 'events.jsonl', 'logs', 'events']))
    for (const [where, trace] of Object.entries(traces)) expect([where, spelledIn(trace, VALUES)]).toEqual([where, []])
    expect(traces['log']).toContain('secret_in_arguments')
    expect(traces['receipts']).toBe(
      JSON.stringify([
        ['PLAIN', 'ODD'],
        ...['PLAIN', 'ODD'].map((name, index) => ({ item: `${index} [secret:${name}]`, state: 'queued', redacted: [name] }))
      ])
    )
  })

  test('is found everywhere when it is not registered: the test above can fail', async () => {
    for (const [where, trace] of Object.entries(await leaveTraces(undefined))) {
      if (!/-wal$|-shm$|receipts/.test(where)) expect([where, spelledIn(trace, VALUES).length > 0]).toEqual([where, true])
    }
  })
})
