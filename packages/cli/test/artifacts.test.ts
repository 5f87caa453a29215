import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const LARGE = `a\u001b[31mred ${'x'.repeat(70_000)}`

interface Entry {
  readonly digest: string
  readonly bytes: number
  readonly threads: number
  readonly thread?: string
}

async function started(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
  writeFileSync(join(folder, 'input.txt'), LARGE)
  return { folder, thread: threadOf(await holdfast(folder, ['run', 'agent.yaml', '-'], { stdin: LARGE })) }
}

async function list(folder: string): Promise<readonly Entry[]> {
  return JSON.parse((await holdfast(folder, ['artifacts', '--json'])).stdout).items
}

/** Two days later. */
function age(folder: string): void {
  using db = new DatabaseSync(join(folder, '.holdfast', 'holdfast.db'))
  db.exec('UPDATE artifact SET at = at - 172800000')
}

test('lists artifacts with size, age and who uses them, page by page', async () => {
  const { folder, thread } = await started()
  const [entry, ...others] = await list(folder)
  expect(others).toEqual([])
  expect(entry).toMatchObject({ digest: expect.stringMatching(/^sha256:/), threads: 1, thread, bytes: expect.any(Number) })
  const told = await holdfast(folder, ['artifacts'])
  expect(told.stdout).toMatch(new RegExp(`^${entry?.digest}  68\\.\\d KiB  20\\S+Z  ${thread}\n$`))
  await holdfast(folder, ['run', 'agent.yaml', '-'], { stdin: `${LARGE} and more` })
  const page = JSON.parse((await holdfast(folder, ['artifacts', '--limit', '1', '--json'])).stdout)
  const rest = JSON.parse((await holdfast(folder, ['artifacts', '--after', page.next, '--json'])).stdout)
  expect([...page.items, ...rest.items]).toEqual(await list(folder))
  expect(rest.next).toBeUndefined()
})

test('writes an artifact into a file, or as it is into a pipe, by its digest or the first digits of it', async () => {
  const { folder } = await started()
  const [{ digest = '' } = {}] = await list(folder)
  const piped = await holdfast(folder, ['artifacts', 'get', digest])
  expect(JSON.parse(piped.stdout)).toEqual([{ type: 'text', text: LARGE }])
  const told = await holdfast(folder, ['artifacts', 'get', digest.slice(7, 15), '-o', 'out.json', '--json'])
  expect(JSON.parse(told.stdout)).toEqual({ digest, file: join(folder, 'out.json'), bytes: Buffer.byteLength(piped.stdout) })
  expect(readFileSync(join(folder, 'out.json'), 'utf8')).toBe(piped.stdout)
})

test.each([
  ['a digest that is none', ['get', 'zzz'], 2],
  ['one that is not there', ['get', `sha256:${'0'.repeat(64)}`], 6],
  ['a beginning of none', ['get', '0000000000000000'], 6],
  ['a document in a document', ['get', `${'0'.repeat(64)}`, '--json'], 2],
  ['an age below a day', ['gc', '--older-than', '23h'], 2],
  ['an age that is none', ['gc', '--older-than', 'long'], 2]
])('refuses %s', async (_, argv, code) => {
  const { folder } = await started()
  expect((await holdfast(folder, ['artifacts', ...argv])).code).toBe(code)
})

test('collects what no thread uses any more, a day after it was put, and says before how much that is', async () => {
  const { folder, thread } = await started()
  const gc = async (...options: string[]) => JSON.parse((await holdfast(folder, ['artifacts', 'gc', '--json', ...options])).stdout)
  age(folder)
  expect(await gc()).toEqual({ artifacts: 0, bytes: 0, dryRun: false })
  expect((await holdfast(folder, ['rm', thread])).code).toBe(0)
  expect(await gc('--older-than', '1w')).toMatchObject({ artifacts: 0 })
  const planned = await gc('--dry-run')
  expect(planned).toMatchObject({ artifacts: 1, bytes: expect.any(Number), dryRun: true })
  expect(await list(folder)).toHaveLength(1)
  expect(await gc()).toEqual({ ...planned, dryRun: false })
  expect(await list(folder)).toEqual([])
})

test('shows a conversation whole, its log by beginnings, and says what is wrong where bytes are damaged', async () => {
  const { folder, thread } = await started()
  const log = await holdfast(folder, ['log', thread, '--jsonl'])
  const received = log.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find((event) => event.type === 'message.received')
  expect(received.data.parts).toMatchObject({ artifact: expect.stringMatching(/^sha256:/), preview: expect.any(String) })
  expect((await holdfast(folder, ['show', thread])).stdout).toContain('x'.repeat(70_000))
  using db = new DatabaseSync(join(folder, '.holdfast', 'holdfast.db'))
  db.exec('UPDATE artifact_bytes SET bytes = zeroblob(5)')
  const shown = await holdfast(folder, ['show', thread])
  expect(shown.code).toBe(0)
  expect(shown.stdout).not.toContain('x'.repeat(70_000))
  const check = JSON.parse((await holdfast(folder, ['store', 'check', '--json'])).stdout)
  expect(check.faulty).toMatchObject([{ thread, problems: [{ what: 'artifacts' }] }])
  const exported = await holdfast(folder, ['export', thread])
  expect(exported.code).toBe(6)
  expect(exported.stderr).toContain('error[artifact_corrupt]')
})
