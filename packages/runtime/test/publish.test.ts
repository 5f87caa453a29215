import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentDefinition } from '../src/contracts/api.ts'
import type { Json, JsonObject } from '../src/contracts/json.ts'
import type { Tool } from '../src/contracts/tool.ts'
import { defineAgent } from '../src/define-agent.ts'
import { defineTool } from '../src/define-tool.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { compileSchema } from '../src/manifest/json-schema.ts'
import { freezeDefinition } from '../src/manifest/publish.ts'
import { DEFAULT_LIMITS, limitsOf } from '../src/state/limits.ts'
import { problemsOf, refusalOf, toCodes } from './refusal.ts'

const tool = (name: string, options: Partial<Tool> = {}) =>
  defineTool({ name, description: 'Does it.', input: { type: 'object' }, execute: () => null, ...(options as object) })
const registry = [tool('read_file', { effect: 'read', timeoutMs: 5_000 }), tool('refund', { effect: 'idempotent' }), tool('send-mail')]
const agent = { name: 'a', model: { ref: 'fast' } }
const freeze = (extra: object, tools: readonly Tool[] = registry) => freezeDefinition({ ...agent, ...extra } as AgentDefinition, tools)
const toolsOf = async (tools: readonly unknown[], extra: object = {}) => (await freeze({ tools, ...extra })).definition.tools

describe('the digest of a publication', () => {
  const full: AgentDefinition = {
    ...agent,
    description: 'd',
    model: { provider: 'p', model: 'm', options: { p: { x: 1, y: [{ b: 1, a: 2 }] } } },
    systemPrompt: 's {{ v }}',
    variables: [{ key: 'v', type: 'json', value: { z: 1, y: { b: 2, a: 1 } } }],
    tools: ['read_file', { ref: 'refund', timeoutMs: 10 }],
    limits: { maxTurns: 1, maxRetries: 1 },
    outputSchema: { type: 'object', properties: { b: {}, a: {} } }
  }

  test('does not depend on the order of keys', async () => {
    const { digest } = await freezeDefinition(full, registry)
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000)), async (numbers) => {
        const shuffled = shuffle(full as unknown as Json, numbers) as unknown as AgentDefinition
        expect((await freezeDefinition(shuffled, registry)).digest).toBe(digest)
      }),
      { numRuns: 40 }
    )
  })

  test('covers neither metadata nor what is undefined', async () => {
    const { digest } = await freezeDefinition(full, registry)
    const variables = [{ key: 'v', type: 'json', value: { z: 1, y: { b: 2, a: 1 } }, metadata: { x: 1 }, description: undefined }]
    const same = { ...full, variables, metadata: { x: 1 }, prompt: undefined } as unknown as AgentDefinition
    expect((await freezeDefinition(same, registry)).digest).toBe(digest)
  })

  test.each<[string, object]>([
    ['the prompt', { prompt: 'x' }],
    ['a limit', { limits: { maxTurns: 2, maxRetries: 1 } }],
    ['the order of tools', { tools: [{ ref: 'refund', timeoutMs: 10 }, 'read_file'] }],
    ['a tightened tool', { tools: ['read_file', { ref: 'refund', timeoutMs: 9 }] }],
    ['the model', { model: { provider: 'p', model: 'm' } }],
    ['the output schema', { outputSchema: { type: 'object' } }]
  ])('changes with %s', async (_, change) => {
    const { digest } = await freezeDefinition(full, registry)
    expect((await freezeDefinition({ ...full, ...change } as AgentDefinition, registry)).digest).not.toBe(digest)
  })

  test('changes with what a tool declares', async () => {
    const { digest } = await freeze({ tools: ['x'] }, [tool('x')])
    expect((await freeze({ tools: ['x'] }, [tool('x')])).digest).toBe(digest)
    expect((await freeze({ tools: ['x'] }, [tool('x', { effect: 'read' })])).digest).not.toBe(digest)
    expect((await freeze({ tools: ['x'] }, [tool('x', { version: '2' })])).digest).not.toBe(digest)
  })

  test('is the same for a manifest and for code', async () => {
    const text = 'schemaVersion: "1.0" # the language\nname: a\nmodel: {ref: fast}\ntools: [refund]\nprompt: hi\nmetadata: {x: 1}\n'
    const { definition } = await parseAgentManifest(text, 'x.yaml')
    const inCode = defineAgent({ model: { ref: 'fast' }, prompt: 'hi', tools: ['refund'], name: 'a' })
    expect((await freezeDefinition(definition, registry)).digest).toBe((await freezeDefinition(inCode, registry)).digest)
  })
})

describe('tools of a publication', () => {
  test('are what the host declares, with identity, version and time-out', async () => {
    const [read, refund] = await toolsOf(['read_file', 'refund'])
    expect(read).toMatchObject({ identity: 'host:read_file', name: 'read_file', effect: 'read', parallelSafe: true, timeoutMs: 5_000 })
    expect(refund).toMatchObject({ identity: 'host:refund', effect: 'idempotent', timeoutMs: DEFAULT_LIMITS.toolTimeoutMs })
    expect(refund?.version).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect((await freeze({ tools: ['x'] }, [tool('x', { version: '7' })])).definition.tools[0]?.version).toBe('7')
  })

  test.each(['read_file', 'read-file', '/agent-tools/os/read-file', './tools/read_file', 'a/read-file/'])(
    'are found by %s',
    async (reference) => {
      expect((await toolsOf([reference]))[0]?.identity).toBe('host:read_file')
    }
  )

  test('keep the name under which the host knows them', async () => {
    expect((await toolsOf(['send_mail']))[0]?.name).toBe('send-mail')
  })

  test('may stand in the definition themselves', async () => {
    const own = tool('own')
    expect((await toolsOf([own]))[0]?.identity).toBe('host:own')
    expect((await freeze({ tools: [own] }, [own])).definition.tools).toHaveLength(1)
  })

  test('that are unknown fail with the nearest candidates', async () => {
    const { details } = await refusalOf('tool_unknown', () => toolsOf(['reed-file', 'refund', 'nothing-like-it']))
    expect(details['unknown']).toEqual([
      { reference: 'reed-file', path: 'tools[0]', ambiguous: false, candidates: ['read_file'] },
      {
        reference: 'nothing-like-it',
        path: 'tools[2]',
        ambiguous: false,
        candidates: ['read_file', 'refund', 'send-mail', 'task_complete', 'ask_user']
      }
    ])
  })

  // B068
  test('that two names could mean fail, even when one is exact', async () => {
    const { details } = await refusalOf('tool_unknown', () => freeze({ tools: ['read_file'] }, [tool('read_file'), tool('read-file')]))
    expect(details['unknown']).toMatchObject([{ ambiguous: true, candidates: ['read_file', 'read-file'] }])
  })

  test('may not be listed twice', async () => {
    expect(toCodes(await problemsOf(() => toolsOf(['refund', 'read_file', '/x/refund'])))).toEqual(['duplicate tools[2]'])
  })

  test('may not share a name, and not that of a built-in one', async () => {
    expect((await refusalOf('invalid_tools', () => freeze({}, [tool('x'), tool('x')]))).details).toEqual({ tool: 'x', field: 'name' })
    await refusalOf('invalid_tools', () => freeze({ tools: [tool('refund')] }))
    await refusalOf('invalid_tools', () => freeze({}, [tool('task_complete')]))
  })

  test('may be made stricter by the definition', async () => {
    const [read, refund] = await toolsOf([
      { ref: 'read_file', effect: 'once', timeoutMs: 100 },
      { ref: 'refund', effect: 'idempotent' }
    ])
    expect(read).toMatchObject({ effect: 'once', timeoutMs: 100 })
    expect(refund).toMatchObject({ effect: 'idempotent' })
    expect(read?.version).toBe((await toolsOf(['read_file']))[0]?.version)
  })

  test('may not be made laxer by the definition', async () => {
    const tools = [
      { ref: 'refund', effect: 'read' },
      { ref: 'send-mail', effect: 'idempotent' },
      { ref: 'read_file', timeoutMs: 5_001 }
    ]
    expect(toCodes(await problemsOf(() => toolsOf(tools)))).toEqual([
      'invalid tools[0].effect',
      'invalid tools[1].effect',
      'invalid tools[2].timeoutMs'
    ])
    expect(toCodes(await problemsOf(() => toolsOf([{ ref: 'refund', timeoutMs: 120_001 }])))).toEqual(['invalid tools[0].timeoutMs'])
  })

  test('end at the limit of the definition when it sets one', async () => {
    const [read, refund] = await toolsOf(['read_file', 'refund'], { limits: { toolTimeoutMs: 1_000 } })
    expect([read?.timeoutMs, refund?.timeoutMs]).toEqual([1_000, 1_000])
    expect((await toolsOf(['refund'], { limits: { toolTimeoutMs: 3e9 } }))[0]?.timeoutMs).toBe(3e9)
  })

  test('have schemas that can be compiled', async () => {
    const broken = tool('broken', { input: { $ref: '#/none' } as never })
    expect((await refusalOf('invalid_tools', () => freeze({ tools: ['broken'] }, [broken]))).details['tool']).toBe('broken')
  })

  test('keep a pattern that only their own schema can check out of what is frozen', async () => {
    const wait = defineTool({
      name: 'wait',
      description: 'd',
      input: z.object({ for: z.iso.duration(), id: z.string().regex(/^a$/) }),
      execute: () => null
    })
    const [frozen] = (await freeze({ tools: [wait] })).definition.tools
    expect(frozen?.inputSchema['properties']).toEqual({
      for: { type: 'string', format: 'duration' },
      id: { type: 'string', pattern: '^a$' }
    })
  })
})

describe('task_complete', () => {
  const completeWith = async (outputSchema?: JsonObject) => {
    const [descriptor] = await toolsOf(['/agent-tools/task-complete'], outputSchema === undefined ? {} : { outputSchema })
    return { descriptor, validate: await compileSchema(descriptor?.inputSchema ?? {}) }
  }

  test('is built in, and takes any result', async () => {
    const { descriptor, validate } = await completeWith()
    expect(descriptor).toMatchObject({ identity: 'agent:task_complete', name: 'task_complete', effect: 'read', parallelSafe: true })
    expect([validate({ result: 'x' }).ok, validate({ result: null }).ok, validate({}).ok, validate({ result: 1, more: 1 }).ok]).toEqual([
      true,
      true,
      false,
      false
    ])
  })

  test('takes what the output schema says, references included', async () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, top: { $ref: '#' } }, required: ['id'] }
    const { validate } = await completeWith({
      type: 'object',
      properties: { list: { $ref: '#/$defs/node' } },
      $defs: { node },
      additionalProperties: false
    })
    expect(validate({ result: { list: { id: 1, next: { id: 2, top: {} } } } }).ok).toBe(true)
    expect(validate({ result: { list: { id: 1, next: {} } } }).ok).toBe(false)
    expect(validate({ result: { list: { id: 1, top: { wrong: 1 } } } }).ok).toBe(false)
  })

  test('leaves data that looks like a reference alone', async () => {
    const { validate } = await completeWith({ const: { $ref: '#/x' } })
    expect(validate({ result: { $ref: '#/x' } }).ok).toBe(true)
  })
})

describe('a definition in code', () => {
  test('takes a Standard Schema for its output', async () => {
    const { definition } = await freeze({ outputSchema: z.object({ email: z.email() }) })
    expect(definition.outputSchema).toMatchObject({ type: 'object', required: ['email'] })
  })

  test.each<[string, object, readonly string[]]>([
    ['no name', { name: '' }, ['invalid name']],
    ['an unknown field', { sytemPrompt: 'x' }, ['unknown_field sytemPrompt']],
    ['a later field', { steps: [] }, ['unsupported steps']],
    ['limits out of range', { limits: { maxTurns: 0, toolTimeoutMs: '5m' } }, ['invalid limits.maxTurns', 'invalid limits.toolTimeoutMs']],
    ['an infinite limit', { limits: { maxTurns: Number.POSITIVE_INFINITY } }, ['number_infinite limits.maxTurns']],
    ['a function as data', { metadata: { f: () => 1 } }, ['invalid metadata.f']],
    ['an unknown name in a template', { prompt: '{{ nope }}' }, ['unknown_variable prompt']],
    ['a broken template', { prompt: '{{ a b }}', systemPrompt: '{{' }, ['template systemPrompt', 'template prompt']],
    [
      'two variables of one name',
      {
        variables: [
          { key: 'a', type: 'string' },
          { key: 'A', type: 'json' }
        ]
      },
      ['duplicate variables[1].key']
    ],
    ['tools that are no list', { tools: 'refund' }, ['invalid tools']],
    ['a tool that is none', { tools: [null, 5] }, ['invalid tools[0]', 'invalid tools[1]']],
    ['a schema that is none', { outputSchema: { type: 'objekt' } }, ['invalid outputSchema']],
    ['a schema that cannot be written down', { outputSchema: z.date() }, ['invalid outputSchema']],
    ['a pattern that takes more than linear time', { outputSchema: { pattern: '(?=a)' } }, ['invalid outputSchema']],
    [
      'a choice of a tool that it does not have',
      { model: { ref: 'x', settings: { toolChoice: { tool: 'refund' } } } },
      ['invalid model.settings.toolChoice.tool']
    ]
  ])('is refused with %s', async (_, extra, codes) => {
    expect(toCodes(await problemsOf(() => freeze(extra)))).toEqual(codes)
  })

  test('is refused when it is none', async () => {
    expect(toCodes(await problemsOf(() => freezeDefinition(null as never)))).toEqual(['invalid '])
  })

  test('chooses a tool by the name that the model sees', async () => {
    const { definition } = await freeze({ tools: ['send-mail'], model: { ref: 'x', settings: { toolChoice: { tool: 'send_mail' } } } })
    expect(definition.model.settings?.toolChoice).toEqual({ tool: 'send-mail' })
  })

  test('is not changed by later edits of what it was made from', async () => {
    const limits = { maxTurns: 1 }
    const { definition } = await freeze({ limits })
    limits.maxTurns = 2
    expect(definition.limits.maxTurns).toBe(1)
  })
})

describe('limits of a definition', () => {
  test('fall back to the defaults, each for itself', () => {
    expect(limitsOf({ limits: { maxTurns: 3, runTimeoutMs: 5 } })).toEqual({ ...DEFAULT_LIMITS, maxTurns: 3, runTimeoutMs: 5 })
  })
})

function shuffle(value: Json, numbers: fc.Stream<number>): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => shuffle(item, numbers))
  const entries = Object.entries(value).map(([key, item]) => ({ key, item: shuffle(item, numbers), rank: numbers.next().value }))
  return Object.fromEntries(entries.toSorted((a, b) => Number(a.rank) - Number(b.rank)).map(({ key, item }) => [key, item]))
}
