import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const SECRET = 'sk-from-a-file-0123456789'
const CONFIG = `version: "1.0"
providers:
  local: { driver: openai-compatible, baseURL: "http://127.0.0.1:1/v1", apiKey: { env: LOCAL_KEY } }
models: { main: { provider: local, model: m } }
`
const PROJECT = { 'holdfast.config.yaml': CONFIG, '.env': `LOCAL_KEY=${SECRET}\nOTHER="two words"\n` }

const keyOf = async (folder: string, env: { readonly [name: string]: string } = {}) => {
  const { stdout } = await holdfast(folder, ['config', 'show', '--json'], { env })
  const { providers } = JSON.parse(stdout) as { readonly providers: readonly { readonly name: string; readonly key?: unknown }[] }
  return providers.find(({ name }) => name === 'local')?.key
}

/** Shows what a tool finds in the environment of the process. */
const TOOLS = `export const look = {
  name: 'look', description: 'Looks.', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'read', parallelSafe: true,
  execute: () => ({ other: process.env.OTHER ?? null, set: process.env.SET ?? null, key: process.env.LOCAL_KEY ?? null })
}`

describe('the file .env beside a configuration', () => {
  test('is where keys may stand, and no value of it is shown', async () => {
    const folder = folderWith(PROJECT)
    expect(await keyOf(folder)).toEqual({ env: 'LOCAL_KEY', isSet: true })
    mkdirSync(join(folder, 'below'))
    expect(await keyOf(join(folder, 'below'))).toEqual({ env: 'LOCAL_KEY', isSet: true })
    const told = await Promise.all(
      [['config', 'show'], ['models'], ['doctor'], ['config', 'show', '--json']].map((argv) => holdfast(folder, argv))
    )
    expect(told.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(told.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(SECRET)
    expect(told[2]?.stdout).toMatch(/^ok +key of local/m)
  })

  test('gives way to the environment, also to a variable that is empty there', async () => {
    const folder = folderWith(PROJECT)
    expect(await keyOf(folder, { LOCAL_KEY: '' })).toEqual({ env: 'LOCAL_KEY', isSet: false })
  })

  test('is read beside the configuration that is named, and nowhere else', async () => {
    const folder = folderWith({ 'here/.env': `LOCAL_KEY=${SECRET}\n`, 'there/holdfast.config.yaml': CONFIG })
    const cwd = join(folder, 'here')
    const told = async () => (await holdfast(cwd, ['models', '--config', '../there/holdfast.config.yaml'])).stdout
    expect(await told()).toMatch(/^main .*LOCAL_KEY is not set$/m)
    addFiles(folder, { 'there/.env': `LOCAL_KEY=${SECRET}\n` })
    expect(await told()).toMatch(/^main .*LOCAL_KEY is set$/m)
  })

  test('may name the store', async () => {
    const folder = folderWith({
      ...scriptedAgent([{ text: 'ok' }]),
      'holdfast.config.yaml': 'version: "1.0"\nstore: { env: WHERE }\n',
      '.env': 'WHERE=data/threads.db\n'
    })
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    expect(await holdfast(folder, ['show', thread])).toMatchObject({ code: 0 })
    expect(JSON.parse((await holdfast(folder, ['config', 'show', '--json'])).stdout)).toMatchObject({
      store: { env: 'WHERE', path: join(folder, 'data/threads.db'), exists: true }
    })
  })

  test('is what tools find in the environment, with values kept out of what is shown where the configuration refers to them', async () => {
    const folder = folderWith({
      ...scriptedAgent([calling('look'), { text: 'done' }], { tools: ['look'] }),
      ...PROJECT,
      '.env': `${PROJECT['.env']}SET=file\n`,
      'tools.mjs': TOOLS
    })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs', '--jsonl'], { env: { SET: 'shell' } })
    expect(await running.ended).toBe(0)
    const settled = running
      .stdout()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { readonly type: string; readonly data?: { readonly result?: unknown } })
      .find(({ type }) => type === 'call.settled')
    expect(settled?.data?.result).toEqual({ inline: { value: { other: 'two words', set: 'shell', key: '[secret:LOCAL_KEY]' } } })
    expect(running.stdout() + running.stderr()).not.toContain(SECRET)
  })

  test.each([
    ['what is no text', Buffer.from([0x41, 0x3d, 0xff, 0xfe])],
    ['what is far too large', Buffer.alloc(1_048_577, 'A=1\n')]
  ])('is refused when it holds %s', async (_, bytes) => {
    const folder = folderWith({ 'holdfast.config.yaml': CONFIG })
    writeFileSync(join(folder, '.env'), bytes)
    const told = await holdfast(folder, ['models', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'file_unreadable', details: { path: join(folder, '.env') } } })
  })

  test('may be a folder of something else, and may hold what is no line of it', async () => {
    const folder = folderWith({ 'holdfast.config.yaml': CONFIG, '.env/bin/python': '' })
    expect(await keyOf(folder)).toEqual({ env: 'LOCAL_KEY', isSet: false })
    const other = folderWith({
      'holdfast.config.yaml': CONFIG,
      '.env': `\ufeff# a comment\nno line\n__proto__=x\nexport LOCAL_KEY='${SECRET}'\n`
    })
    expect(await keyOf(other)).toEqual({ env: 'LOCAL_KEY', isSet: true })
  })
})
