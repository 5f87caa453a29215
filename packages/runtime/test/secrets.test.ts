import { describe, expect, test } from 'vitest'
import { HoldfastError } from '../src/contracts/errors.ts'
import { toCallResult } from '../src/effects/tool-result.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { redactError } from '../src/util/redact-error.ts'
import { agentOf, factsOfType, parrot, recordingModel, runtimeFor, toolOf, userTexts, within } from './runtime-kit.ts'
import { describeError, numbered, ODD, PLAIN, registry, spelledIn, VALUES } from './secret-kit.ts'
import { finish, text } from './stream-parts.ts'

describe('a call whose arguments hold a secret', () => {
  test('is not run; the model reads why, and what is kept of it holds none', async () => {
    let runs = 0
    const tool = toolOf('send', () => ++runs)
    const model = recordingModel(({ answers }) =>
      answers === 0
        ? {
            toolCalls: [
              { name: 'send', arguments: { to: 'me', text: `it is ${PLAIN}` } },
              { name: 'send', arguments: { to: 'you' } }
            ]
          }
        : { text: 'done' }
    )
    const handle = await runtimeFor(model, { secrets: registry() }).start(agentOf({ tools: [tool] }), { input: 'go' })
    expect(await within(handle.settled())).toMatchObject({ status: 'completed' })
    expect(runs).toBe(1)
    const [blocked, run] = await factsOfType(handle, 'call.gated')
    expect(blocked).toMatchObject({
      verdict: 'block',
      by: 'secret_in_arguments',
      arguments: { inline: { to: 'me', text: 'it is [secret:PLAIN]' } }
    })
    expect(run).toMatchObject({ verdict: 'run', arguments: { inline: { to: 'you' } } })
    expect(JSON.stringify(model.prompts.at(-1))).toContain('[secret:PLAIN]')
  })

  test('is judged in the commit of the answer, also where the schema of its tool must be awaited', async () => {
    const schema = { '~standard': { version: 1, vendor: 'test', validate: async (value: unknown) => ({ value }) } }
    const tool = {
      ...toolOf('send', () => 'sent'),
      input: { kind: 'standard', schema, jsonSchema: { type: 'object' } }
    } as unknown as ReturnType<typeof toolOf>
    const model = recordingModel(({ answers }) =>
      answers === 0 ? { toolCalls: [{ name: 'send', arguments: { key: PLAIN } }] } : { text: 'done' }
    )
    const handle = await runtimeFor(model, { secrets: registry() }).start(agentOf({ tools: [tool] }), { input: 'go' })
    await within(handle.settled())
    expect(await factsOfType(handle, 'call.gated')).toMatchObject([{ by: 'secret_in_arguments' }])
  })
})

describe('a definition that holds a secret', () => {
  test.each([
    ['systemPrompt', { systemPrompt: `The key is ${PLAIN}.` }],
    ['prompt', { prompt: PLAIN }],
    ['variables[0].value', { variables: [{ key: 'k', type: 'string', value: PLAIN }] }],
    ['tools[0].description', { tools: [toolOf('t', () => '', { description: `Needs ${btoa(PLAIN)}.` })] }]
  ] as const)('in %s is refused, with its place and without its value', async (path, over) => {
    const runtime = runtimeFor(
      recordingModel(() => ({ text: '' })),
      { secrets: registry() }
    )
    const error = await runtime.publish(agentOf(over)).catch((each: unknown) => each)
    expect(error).toMatchObject({ code: 'invalid_manifest', details: { problems: [{ path }] } })
    expect(spelledIn(JSON.stringify(describeError(error)), VALUES)).toEqual([])
  })

  test('is refused also when it was published before the secret was known', async () => {
    const secrets = createSecretRegistry()
    const runtime = runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { secrets }
    )
    const agent = agentOf({ systemPrompt: PLAIN })
    await runtime.publish(agent)
    secrets.add('PLAIN', PLAIN)
    await expect(runtime.start(agent, { input: 'go' })).rejects.toMatchObject({ code: 'invalid_manifest' })
  })
})

describe('what a person or a program sends', () => {
  test('is kept without the secret, and the receipt names it', async () => {
    const model = recordingModel(() => ({ text: 'done' }))
    const handle = await runtimeFor(model, { secrets: registry() }).start(agentOf(), { input: `use ${PLAIN}` })
    expect(handle.redacted).toEqual(['PLAIN'])
    await within(handle.settled())
    expect(userTexts(model.prompts[0])).toEqual(['use [secret:PLAIN]'])
    expect(await handle.message('nothing of that kind')).not.toHaveProperty('redacted')
  })

  test('is refused where nothing sound is left of it', async () => {
    const handle = await runtimeFor(
      recordingModel(() => ({ text: 'done' })),
      { secrets: registry() }
    ).start(agentOf(), { input: 'go' })
    const file = { type: 'file', mediaType: 'image/png', source: { url: `https://${PLAIN}.example.com` } } as const
    await expect(handle.message([file])).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('as the reason of a cancel is kept without it', async () => {
    const tool = toolOf(
      'wait',
      (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    )
    const model = recordingModel(() => ({ toolCalls: [{ name: 'wait' }] }))
    const handle = await runtimeFor(model, { secrets: registry() }).start(agentOf({ tools: [tool] }), { input: 'go' })
    await handle.cancel({ reason: `they know ${PLAIN}`, graceMs: 1 })
    await within(handle.settled())
    expect(spelledIn(JSON.stringify(await handle.log()), VALUES)).toEqual([])
  })
})

test('a thread that kept a secret before it was known is not imported', async () => {
  const model = recordingModel(() => ({ text: 'done' }))
  const handle = await runtimeFor(model).start(agentOf(), { input: `use ${PLAIN}` })
  await within(handle.settled())
  const pieces: string[] = []
  for await (const piece of handle.export()) pieces.push(piece)
  const error = await runtimeFor(model, { secrets: registry() })
    .import(pieces)
    .catch((each: unknown) => each)
  expect(error).toMatchObject({ code: 'invalid_input', details: { secrets: ['PLAIN'] } })
  expect(await runtimeFor(model, { secrets: createSecretRegistry() }).import(pieces)).toMatchObject({ state: 'imported' })
})

test('an answer that must fit a schema is kept without the secret, also where JSON hides it', async () => {
  const model = parrot([text('t', `{"key":"${numbered(PLAIN)}","fine":"yes"}`), finish('stop')])
  const outputSchema = { type: 'object', properties: { key: { type: 'string' } } }
  const handle = await runtimeFor(model, { secrets: registry() }).start(agentOf({ outputSchema }), { input: 'go' })
  expect(await within(handle.settled())).toMatchObject({ output: { key: '[secret:PLAIN]', fine: 'yes' } })
  expect(spelledIn(JSON.stringify(await handle.log()), VALUES)).toEqual([])
})

test('reasoning that changes loses the signature over its words, and nothing else of what its provider attached', async () => {
  const providerMetadata = { anthropic: { signature: 'c2lnbmF0dXJl', other: 1 } }
  const model = parrot([
    { type: 'reasoning-start', id: 'a', providerMetadata },
    { type: 'reasoning-delta', id: 'a', delta: `${PLAIN}?` },
    { type: 'reasoning-start', id: 'b', providerMetadata },
    { type: 'reasoning-delta', id: 'b', delta: 'no secret' },
    text('t', 'done'),
    finish('stop')
  ])
  const handle = await runtimeFor(model, { secrets: registry() }).start(agentOf(), { input: 'go' })
  await within(handle.settled())
  const [responded] = await factsOfType(handle, 'model.responded')
  expect(responded?.parts).toMatchObject({
    inline: [
      { text: '[secret:PLAIN]?', metadata: { anthropic: { other: 1 } } },
      { text: 'no secret', metadata: { anthropic: { signature: 'c2lnbmF0dXJl', other: 1 } } },
      { text: 'done' }
    ]
  })
  expect(JSON.stringify(responded).match(/signature/g)).toHaveLength(1)
})

test('a result is cut behind the secret, wherever its end falls', () => {
  for (let length = 1; length <= PLAIN.length + 12; length++) {
    const shown = JSON.stringify(toCallResult(`a ${PLAIN} b`, registry(), length))
    expect(shown).not.toContain('sk-l')
  }
})

describe('an error', () => {
  test('without secrets stays the same object', () => {
    const error = new Error('nothing', { cause: new Error('no more') })
    expect(redactError(error, registry())).toBe(error)
    expect(redactError(new Error(PLAIN), createSecretRegistry())).toHaveProperty('message', PLAIN)
  })

  test('stays of its class; message, stack, fields, causes and what it is made of lose them', () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    const error = Object.assign(
      new HoldfastError('conflict', `no ${PLAIN}`, { details: { key: ODD }, cause: new AggregateError([new Error(PLAIN)], ODD) }),
      {
        [PLAIN]: 1,
        loop
      }
    )
    const redacted = redactError(error, registry())
    expect(redacted).toBeInstanceOf(HoldfastError)
    expect(redacted).toMatchObject({ code: 'conflict', status: 409, message: 'no [secret:PLAIN]', details: { key: '[secret:ODD]' } })
    const told = inspectDeep(redacted)
    expect(told).toContain('[secret:PLAIN]')
    expect(spelledIn(told, VALUES)).toEqual([])
  })

  test('may be anything that can be thrown', () => {
    expect(redactError(PLAIN, registry())).toBe('[secret:PLAIN]')
    expect(redactError({ key: PLAIN }, registry())).toEqual({ key: '[secret:PLAIN]' })
    expect(redactError(undefined, registry())).toBeUndefined()
  })
})

function inspectDeep(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null || seen.has(value)) return String(value)
  seen.add(value)
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)}: ${inspectDeep(Reflect.get(value, key), seen)}`)
    .join('\n')
}
