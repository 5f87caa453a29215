import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, startHoldfast } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

/** A module as somebody writes it who has no package.json: only by its syntax Node knows that it is one of ECMAScript. */
const MODULE = `
process.emitWarning('look at me', { code: 'MINE' })
export const ping = {
  name: 'ping', description: 'Pings.', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'read', parallelSafe: true,
  execute: () => 'pong'
}`

describe('a tools module in a folder without a package', () => {
  test.each(['tools.ts', 'tools.js'])('is loaded as %s without a warning of Node, while its own are told', async (file) => {
    const folder = folderWith({ ...scriptedAgent([calling('ping'), { text: 'ok' }], { tools: ['ping'] }), [file]: MODULE })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', file])
    expect(await running.ended).toBe(0)
    expect(running.stderr()).not.toContain('MODULE_TYPELESS_PACKAGE_JSON')
    expect(running.stderr()).toMatch(/\[MINE\].*look at me/)
  })
})

describe('a tools module that cannot be loaded', () => {
  /** What `run` says of a module, as a process: Node itself loads it, and nothing else. */
  async function refusal(files: { readonly [path: string]: string }, named: string) {
    const folder = folderWith({ ...scriptedAgent([{ text: 'ok' }]), ...files })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', named, '--json'])
    expect(await running.ended).toBe(2)
    return { folder, error: (JSON.parse(running.stdout()) as { readonly error: { readonly details: unknown } }).error }
  }

  const BROKEN = 'export const sound = 1\nexport const broken = ({\n  foo bar\n})\n'

  test.each([
    ['TypeScript', { 'tools.mts': BROKEN }, 'tools.mts', { file: 'tools.mts', line: 3, column: 7 }],
    ['JavaScript', { 'tools.mjs': BROKEN }, 'tools.mjs', { file: 'tools.mjs', line: 3, column: 7 }],
    ['syntax that cannot be erased', { 'tools.mts': 'export enum A { b }' }, 'tools.mts', { file: 'tools.mts', line: 1, column: 8 }],
    ['a module that it imports', { 'tools.mts': 'import "./a.mts"', 'a.mts': BROKEN }, 'tools.mts', { file: 'a.mts', line: 3, column: 7 }],
    [
      'an export that is not there',
      { 'tools.mjs': '\nimport { x } from "./a.mjs"', 'a.mjs': 'export const y = 1' },
      'tools.mjs',
      { file: 'tools.mjs', line: 2, column: 10 }
    ],
    ['what it throws', { 'tools.mjs': 'const a = null\na.b()' }, 'tools.mjs', { file: 'tools.mjs', line: 2, column: 3 }],
    [
      'a module that CommonJS cannot be',
      { 'package.json': '{ "type": "commonjs" }', 'tools.ts': '\n  import { x } from "node:fs"' },
      'tools.ts',
      { file: 'tools.ts', line: 2, column: 3 }
    ]
  ])('is told with file, line and column: %s', async (_, files, named, { file, ...place }) => {
    const { folder, error } = await refusal(files, named)
    expect(error).toMatchObject({ code: 'invalid_tools', details: { path: join(folder, named), file: join(folder, file), ...place } })
  })

  test.each([
    ['no text', 'throw Object.create(null)'],
    ['an error without a message', 'throw Object.assign(new Error(), { message: null })'],
    ['an error with a stack of its own', 'Error.prepareStackTrace = (_, sites) => sites\nthrow new Error("a")'],
    ['an error from nowhere', 'throw Object.assign(new Error("a"), { stack: "Error: a\\n    at file://host/a.mjs:1:2" })']
  ])('is told when it throws %s', async (_, text) => {
    const { folder, error } = await refusal({ 'tools.mjs': text }, 'tools.mjs')
    expect(error).toMatchObject({ code: 'invalid_tools', details: { path: join(folder, 'tools.mjs') } })
  })

  test('names no place that it does not know', async () => {
    const { folder, error } = await refusal({ 'tools.mjs': 'import "./a.mjs"', 'a.mjs': BROKEN }, 'tools.mjs')
    expect(error.details).toEqual({ path: join(folder, 'tools.mjs') })
  })

  test('is told how to make a module of it where its package says that it is CommonJS', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }]),
      'package.json': '{ "type": "commonjs" }',
      'lib/tools.ts': 'export const a = 1'
    })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'lib/tools.ts'])
    expect(await running.ended).toBe(2)
    expect(running.stderr()).toContain('tools.mts')
    expect(running.stderr()).toContain(`"type": "module" into ${join(folder, 'package.json')}`)
  })
})

describe('two modules', () => {
  const QUIET = MODULE.replace(/^process.*$/m, '')

  test.each([
    ['a tool of one name', 'pi_ng', 'pi_ng'],
    ['tools whose names a definition cannot tell apart', 'pi_ng', 'pi-ng']
  ])('that give %s are both named', async (_, first, second) => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }]),
      'one.mjs': QUIET.replace("'ping'", `'${first}'`),
      'two.mjs': QUIET.replace("'ping'", `'${second}'`),
      'holdfast.config.yaml': 'version: "1.0"\ntools: [./one.mjs]\n'
    })
    const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', 'two.mjs', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({
      error: { code: 'invalid_tools', details: { paths: [join(folder, 'one.mjs'), join(folder, 'two.mjs')] } }
    })
  })

  test('may give the same tool', async () => {
    const again = `export { ping } from './shared.mjs'`
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }]),
      'shared.mjs': QUIET,
      'one.mjs': again,
      'two.mjs': again,
      'holdfast.config.yaml': 'version: "1.0"\ntools: [./one.mjs]\n'
    })
    expect((await holdfast(folder, ['run', 'agent.yaml', '--tools', 'two.mjs'])).code).toBe(0)
  })
})
