import { describe, expect, test } from 'vitest'
import type { AgentDefinition } from '../src/contracts/api.ts'
import { DEFAULT_GRANTS } from '../src/grants/written-grants.ts'
import { parseAgentManifest } from '../src/manifest/agent-manifest.ts'
import { freezeDefinition } from '../src/manifest/publish.ts'
import { answeringModel } from '../src/models/scripted-model.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { digestJson } from '../src/util/canonical.ts'
import { problemsOf, toCodes } from './refusal.ts'

const HEAD = 'schemaVersion: "1.0"\nmodel: { ref: main }\n'
const parse = async (text: string) => (await parseAgentManifest(HEAD + text, 'a.yaml')).definition
const freeze = (extra: object) => freezeDefinition({ name: 'a', model: { ref: 'main' }, ...extra } as AgentDefinition)
const codesOf = async (text: string) => toCodes(await problemsOf(() => parse(text)))

const WHOLE = `permissions:
  - { effect: deny, tool: "write_*", when: { path: path, glob: "/etc/*" } }
  - { effect: ask, tool: fetch_url }
grants:
  files: { read: ["workspace:/notes/"] }
  network: { hosts: [Example.com, "*.example.com"] }
agents:
  - { name: refunds, ref: ./refunds.yaml, description: Gives money back. }
children: cancel
`

describe('what a definition says about what its runs may do', () => {
  test('is kept by the publication, grants in normal form', async () => {
    const { definition } = await freezeDefinition(await parse(WHOLE))
    expect(definition).toMatchObject({
      permissions: [
        { effect: 'deny', tool: 'write_*', when: { path: 'path', glob: '/etc/*' } },
        { effect: 'ask', tool: 'fetch_url' }
      ],
      grants: {
        ...DEFAULT_GRANTS,
        files: { read: ['workspace:/notes'], write: [] },
        network: { hosts: ['*.example.com', 'example.com'], private: [] }
      },
      agents: [{ name: 'refunds', ref: './refunds.yaml', description: 'Gives money back.' }],
      children: 'cancel'
    })
  })

  test('is the same in code and in a manifest, and under the other name of grants', async () => {
    const { digest } = await freezeDefinition(await parse(`name: a\n${WHOLE}`))
    expect((await freezeDefinition(await parse(`name: a\n${WHOLE.replace('grants:', 'capabilities:')}`))).digest).toBe(digest)
    const code = {
      permissions: [
        { effect: 'deny', tool: 'write_*', when: { path: 'path', glob: '/etc/*' } },
        { effect: 'ask', tool: 'fetch_url' }
      ],
      grants: { network: { hosts: ['*.example.com', 'example.com'] }, files: { read: ['workspace:/notes'] } },
      agents: [{ name: 'refunds', ref: './refunds.yaml', description: 'Gives money back.' }],
      children: 'cancel'
    }
    expect((await freeze(code)).digest).toBe(digest)
  })

  test.each<[string, object]>([
    ['a rule', { permissions: [{ effect: 'deny', tool: 'x' }] }],
    ['grants, also those that ask for nothing', { grants: {} }],
    ['an agent', { agents: [{ name: 'b', ref: 'b' }] }],
    ['what becomes of children', { children: 'detach' }]
  ])('changes the digest: %s', async (_, extra) => {
    expect((await freeze(extra)).digest).not.toBe((await freeze({})).digest)
  })

  test('is the same without it as with nothing in it', async () => {
    expect((await freeze({ permissions: [], agents: [] })).digest).toBe((await freeze({})).digest)
  })

  test.each([
    ['grants: { files: { read: [notes] } }', 'invalid grants.files.read[0]'],
    ['grants: { file: {} }', 'unknown_field grants.file'],
    ['grants: all', 'invalid grants'],
    ['grants:', 'invalid grants'],
    ['capabilities: { shell: root }', 'invalid capabilities.shell'],
    ['grants: {}\ncapabilities: {}', 'duplicate capabilities'],
    ['permissions: { effect: deny, tool: x }', 'invalid permissions'],
    ['permissions: [{ effect: deny }]', 'missing permissions[0].tool'],
    ['permissions: [{ effect: forbid, tool: x }]', 'invalid permissions[0].effect'],
    ['permissions: [{ effect: deny, tool: "[z-a]" }]', 'invalid permissions[0].tool'],
    ['permissions: [{ effect: deny, tool: x, when: { path: a, equals: 1 } }]', 'unknown_field permissions[0].when.equals'],
    ['agents: [{ name: a/b, ref: x }]', 'invalid agents[0].name'],
    ['agents: [{ name: a }]', 'missing agents[0].ref'],
    ['agents: [{ name: a, ref: x }, { name: a, ref: y }]', 'duplicate agents[1].name'],
    ['agents: { a: x }', 'invalid agents'],
    ['children: kill', 'invalid children']
  ])('is refused where it is wrong: %j', async (text, code) => {
    expect(await codesOf(text)).toContain(code)
  })

  test('is told at its place, with a near miss, beside all else that is wrong', async () => {
    const problems = await problemsOf(() => parse('prompt: "{{ nobody }}"\ngrants: { netwrok: { hosts: [] } }\npermission: []\n'))
    expect(problems).toMatchObject([
      { code: 'unknown_variable', line: 3, path: 'prompt' },
      { code: 'unknown_field', line: 4, column: 11, path: 'grants.netwrok', nearMiss: 'network' },
      { code: 'unknown_field', line: 5, column: 1, path: 'permission', nearMiss: 'permissions' }
    ])
  })

  // B064
  test.each([
    'grants: { __proto__: { shell: allow } }',
    'permissions: [{ effect: deny, tool: x, when: { path: a, eq: { constructor: 1 } } }]'
  ])('does not reach a prototype: %s', async (text) => {
    expect((await problemsOf(() => parse(text))).map(({ code }) => code)).toContain('reserved_key')
  })
})

describe('an export', () => {
  const models = { main: answeringModel(() => ({ text: 'done' })), small: answeringModel(() => ({ text: 'small' })) }
  const agent = async (): Promise<AgentDefinition> => ({ ...(await parse(WHOLE)), model: { ref: 'main', fallbacks: [{ ref: 'small' }] } })

  async function exported() {
    await using store = memoryStore()
    await using runtime = createRuntime({ store, models })
    const run = await runtime.start(await agent(), { input: 'hi' })
    await run.settled()
    const lines: string[] = []
    for await (const line of run.export()) lines.push(line)
    return { lines }
  }

  async function imported(lines: readonly string[]) {
    await using store = memoryStore()
    await using runtime = createRuntime({ store, models, concurrency: 0 })
    const { thread } = await runtime.import(lines)
    return (await runtime.thread(thread).publication()).definition
  }

  test('holds fallbacks, rules and grants, and gives them back', async () => {
    const { definition } = await freezeDefinition(await agent())
    expect(await imported((await exported()).lines)).toEqual(definition)
  })

  test('is refused when its grants are not what this program writes', async () => {
    const { lines } = await exported()
    const line = lines.findIndex((text) => text.includes('"type":"publication"'))
    const record = JSON.parse(lines[line] ?? '') as { digest: string; definition: { grants: { files: { read: string[] } } } }
    record.definition.grants.files.read = ['/data/../etc']
    record.digest = digestJson(record.definition as never)
    const forged = lines.with(line, `${JSON.stringify(record)}\n`)
    await expect(imported(forged)).rejects.toMatchObject({ code: 'invalid_input', details: { line: line + 1 } })
  })

  test('is refused when one of its rules cannot be read', async () => {
    const { lines } = await exported()
    const line = lines.findIndex((text) => text.includes('"type":"publication"'))
    const record = JSON.parse(lines[line] ?? '') as { digest: string; definition: { permissions: object[] } }
    record.definition.permissions = [{ effect: 'deny', tool: '{a' }]
    record.digest = digestJson(record.definition as never)
    await expect(imported(lines.with(line, `${JSON.stringify(record)}\n`))).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
