import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const LARGE = 'x'.repeat(70_000)
const CONFIG = 'version: "1.0"\nartifacts: ./bodies\n'
const AGENT = scriptedAgent([{ text: 'ok' }])

async function start(folder: string, ...more: readonly string[]): Promise<string> {
  const told = await holdfast(folder, ['run', 'agent.yaml', '-', ...more], { stdin: LARGE })
  expect(told).toMatchObject({ code: 0 })
  return threadOf(told)
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return paths.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => /[0-9a-f]{60}/.test(path.split('/').at(-1) ?? ''))
}

function rowsIn(path: string): number {
  using db = new DatabaseSync(path)
  return Number(db.prepare('SELECT count(*) AS count FROM artifact').get()?.['count'])
}

/** Two days later. */
function age(folder: string): void {
  const then = new Date(Date.now() - 172_800_000)
  for (const path of filesIn(folder)) utimesSync(path, then, then)
}

const whole = async (folder: string, thread: string, ...more: readonly string[]): Promise<boolean> =>
  (await holdfast(folder, ['show', thread, '--json', ...more])).stdout.includes(LARGE)

test('large bodies are kept in the folder that the configuration names, for its owner alone', async () => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': CONFIG })
  const thread = await start(folder)
  const [file = '', ...others] = filesIn(join(folder, 'bodies'))
  expect(others).toEqual([])
  expect(statSync(file).mode & 0o077).toBe(0)
  expect(rowsIn(join(folder, '.holdfast', 'holdfast.db'))).toBe(0)
  expect(await whole(folder, thread)).toBe(true)
  const { items } = JSON.parse((await holdfast(folder, ['artifacts', '--json'])).stdout)
  expect(items).toMatchObject([{ threads: 1, thread }])
  expect((await holdfast(folder, ['artifacts', 'get', items[0].digest])).stdout).toContain(LARGE)
  expect(await holdfast(folder, ['store', 'check'])).toMatchObject({ code: 0 })
})

test('the folder can be taken from the environment', async () => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': 'version: "1.0"\nartifacts: { env: BODIES }\n' })
  expect((await holdfast(folder, ['run', 'agent.yaml'])).code).toBe(2)
  expect(JSON.parse((await holdfast(folder, ['config', 'show', '--json'])).stdout)).toMatchObject({
    artifacts: { env: 'BODIES' },
    store: { exists: false }
  })
  const env = { BODIES: join(folder, 'elsewhere') }
  expect(await holdfast(folder, ['run', 'agent.yaml', '-'], { stdin: LARGE, env })).toMatchObject({ code: 0 })
  expect(filesIn(env.BODIES)).toHaveLength(1)
})

test.each(['artifacts: ""', 'artifacts: s3://bucket', 'artifacts: 5', 'artifacts: { path: x }'])('refuses %s', async (line) => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': `version: "1.0"\n${line}\n` })
  const told = await holdfast(folder, ['run', 'agent.yaml', '--json'])
  expect([told.code, JSON.parse(told.stdout)]).toMatchObject([2, { error: { code: 'invalid_config' } }])
})

test('bodies that were kept before in the store, or in another folder, are still found', async () => {
  const folder = folderWith(AGENT)
  const first = await start(folder)
  addFiles(folder, { 'holdfast.config.yaml': CONFIG })
  const second = await start(folder)
  addFiles(folder, { 'holdfast.config.yaml': 'version: "1.0"\nartifacts: ./others\n' })
  const third = await start(folder)
  for (const thread of [first, second, third]) expect(await whole(folder, thread)).toBe(true)
  expect(filesIn(join(folder, 'bodies'))).toHaveLength(1)
  expect(filesIn(join(folder, 'others'))).toHaveLength(1)
  rmSync(join(folder, 'holdfast.config.yaml'))
  for (const thread of [first, second, third]) expect(await whole(folder, thread)).toBe(true)
  expect(await holdfast(folder, ['store', 'check'])).toMatchObject({ code: 0 })
})

test('bodies are found from another folder, and when the project has moved', async () => {
  const folder = folderWith({
    ...Object.fromEntries(Object.entries(AGENT).map(([path, text]) => [`project/${path}`, text])),
    'project/holdfast.config.yaml': CONFIG
  })
  const thread = await start(join(folder, 'project'))
  expect(await whole(folder, thread, '--store', 'project/.holdfast/holdfast.db')).toBe(true)
  renameSync(join(folder, 'project'), join(folder, 'moved'))
  expect(await whole(folder, thread, '--store', 'moved/.holdfast/holdfast.db')).toBe(true)
  expect(await start(join(folder, 'moved'))).toMatch(/^thr_/)
})

test('what no thread uses goes with `artifacts gc`, what one uses stays', async () => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': CONFIG })
  const thread = await start(folder)
  const bodies = join(folder, 'bodies')
  age(bodies)
  expect(JSON.parse((await holdfast(folder, ['artifacts', 'gc', '--json'])).stdout)).toMatchObject({ artifacts: 0 })
  await holdfast(folder, ['rm', thread])
  expect(JSON.parse((await holdfast(folder, ['artifacts', 'gc', '--json'])).stdout)).toMatchObject({ artifacts: 1 })
  expect(filesIn(bodies)).toEqual([])
})

test('a folder of another store is refused, read, and never collected', async () => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': CONFIG, 'other/x': '' })
  const thread = await start(folder)
  const bodies = join(folder, 'bodies')
  const backup = join(folder, 'other', 'backup.db')
  expect(JSON.parse((await holdfast(folder, ['store', 'backup', backup, '--json'])).stdout)).toMatchObject({ artifacts: [bodies] })
  // The copy of the store finds the bodies, and what it does not use any more is not its to remove.
  expect(await whole(folder, thread, '--store', backup)).toBe(true)
  await holdfast(folder, ['rm', thread, '--store', backup])
  age(bodies)
  await holdfast(folder, ['artifacts', 'gc', '--store', backup])
  expect(await whole(folder, thread)).toBe(true)
  await start(folder, '--store', backup)
  expect(filesIn(bodies)).toHaveLength(1)
  expect(rowsIn(backup)).toBe(1)
  addFiles(folder, {
    ...Object.fromEntries(Object.entries(AGENT).map(([path, text]) => [`second/${path}`, text])),
    'second/holdfast.config.yaml': 'version: "1.0"\nartifacts: ../bodies\n'
  })
  const refused = await holdfast(join(folder, 'second'), ['run', 'agent.yaml', '--json'])
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([2, { error: { code: 'invalid_config' } }])
})

test('an export carries them, and an import keeps them where its configuration says', async () => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': CONFIG, 'second/holdfast.config.yaml': CONFIG })
  const thread = await start(folder)
  await holdfast(folder, ['export', thread, '-o', 'thread.jsonl'])
  expect(await holdfast(join(folder, 'second'), ['import', '../thread.jsonl'])).toMatchObject({ code: 0 })
  expect(filesIn(join(folder, 'second', 'bodies'))).toHaveLength(1)
  expect(await whole(join(folder, 'second'), thread)).toBe(true)
})

test('the file tools do not see the folder', async () => {
  const grants = { files: { read: ['workspace:/'] } }
  const look = [calling('list_directory', { path: 'bodies' }), calling('search_files', { pattern: 'xxxx', path: '.' }), { text: 'ok' }]
  const folder = folderWith({
    ...scriptedAgent(look, { tools: ['list_directory', 'search_files'] }),
    'holdfast.config.yaml': `${CONFIG}grants: ${JSON.stringify(grants)}\n`
  })
  const thread = await start(folder)
  expect(filesIn(join(folder, 'bodies'))).toHaveLength(1)
  const { transcript } = JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)
  const calls = transcript.filter(({ role }: { role: string }) => role === 'call')
  expect(calls).toMatchObject([{ outcome: 'error' }, { outcome: 'ok' }])
  // The body is the message that begins so; only the script has the word.
  expect(calls[1].result.value.files.map(({ path }: { path: string }) => path)).toEqual(['script.yaml'])
})

test('the doctor looks at the folder', async () => {
  const folder = folderWith({ ...AGENT, 'holdfast.config.yaml': CONFIG })
  const look = async () =>
    JSON.parse((await holdfast(folder, ['doctor', '--json'])).stdout).checks.filter(({ name }: { name: string }) => name === 'artifacts')
  expect(await look()).toMatchObject([{ state: 'ok' }])
  // What is no folder cannot become one.
  addFiles(folder, { bodies: '' })
  expect(await look()).toMatchObject([{ state: 'failed' }])
})
