import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const AGENT = scriptedAgent([calling('echo', { text: 'x' }), { text: 'ok' }], { tools: ['echo'] })

async function started(): Promise<{ readonly folder: string; readonly thread: string; readonly file: string }> {
  const folder = folderWith(AGENT)
  const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
  return { folder, thread, file: join(folder, '.holdfast', 'holdfast.db') }
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe('holdfast store check', () => {
  test('finds nothing where all is well, and tells sizes and counts', async () => {
    const { folder, file } = await started()
    await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    expect(await holdfast(folder, ['store', 'check'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 threads, \d+ commits: all is well\n$/)
    })
    const told = JSON.parse((await holdfast(folder, ['store', 'check', '--json'])).stdout) as { readonly [key: string]: unknown }
    expect(told).toMatchObject({ file, threads: 2, problems: [], faulty: [], unchecked: [], sizes: { file: expect.any(Number) } })
  })

  test('names the threads that do not follow from their logs, and damaged commits', async () => {
    const { folder, thread, file } = await started()
    const other = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
    change(file, `UPDATE thread SET row = json_set(row, '$.turns', 9) WHERE id = '${thread}'`)
    change(
      file,
      `UPDATE log SET facts = replace(facts, 'echo', 'ECHO') WHERE sequence = 3 AND thread = (SELECT no FROM thread WHERE id = '${other}')`
    )
    const told = await holdfast(folder, ['store', 'check'])
    expect(told.code).toBe(1)
    expect(told.stdout).toContain(thread)
    const { faulty } = JSON.parse((await holdfast(folder, ['store', 'check', '--json'])).stdout) as {
      faulty: { thread: string; problems: { what: string; sequence?: number }[] }[]
    }
    expect(Object.fromEntries(faulty.map((each) => [each.thread, each.problems.map(({ what, sequence }) => [what, sequence])]))).toEqual({
      [thread]: [['row', undefined]],
      [other]: [['log', 3]]
    })
  })

  test('finds rows that belong to no thread', async () => {
    const { folder, file } = await started()
    change(file, `INSERT INTO run VALUES (77, 'run_x', 1, '{}')`)
    expect(await holdfast(folder, ['store', 'check'])).toMatchObject({ code: 1, stdout: expect.stringMatching(/^file: 1 rows of run/) })
  })

  test('makes no store', async () => {
    const folder = folderWith()
    for (const argv of [['check'], ['vacuum'], ['backup', 'copy.db']]) {
      expect((await holdfast(folder, ['store', ...argv])).code).toBe(6)
      expect((await holdfast(folder, ['store', ...argv, '--store', 'x.db'])).code).toBe(6)
    }
    expect([existsSync(join(folder, '.holdfast')), existsSync(join(folder, 'x.db'))]).toEqual([false, false])
  })
})

describe('holdfast store backup', () => {
  test('makes a store from which threads go on, and replaces no file', async () => {
    const { folder, thread } = await started()
    const told = await holdfast(folder, ['store', 'backup', 'copy.db', '--json'])
    expect(told.code).toBe(0)
    expect(JSON.parse(told.stdout)).toEqual({ file: join(folder, 'copy.db'), bytes: expect.any(Number) })
    expect((await holdfast(folder, ['show', thread, '--store', 'copy.db'])).stdout).toContain('agent: ok')
    expect((await holdfast(folder, ['store', 'check', '--store', 'copy.db'])).code).toBe(0)
    const bytes = readFileSync(join(folder, 'copy.db'))
    const refused = await holdfast(folder, ['store', 'backup', 'copy.db'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).not.toContain('idempotency')
    expect(readFileSync(join(folder, 'copy.db')).equals(bytes)).toBe(true)
  })
})

describe('holdfast store vacuum', () => {
  test('gives back the space of what was removed, and keeps the rest', async () => {
    const { folder, thread } = await started()
    const large = threadOf(await holdfast(folder, ['run', 'agent.yaml', 'x'.repeat(400_000), '--tools', 'tools.mjs']))
    await holdfast(folder, ['rm', large])
    const told = JSON.parse((await holdfast(folder, ['store', 'vacuum', '--json'])).stdout) as {
      before: { file: number; free: number }
      after: { file: number; free: number; wal: number }
    }
    expect(told.before.free).toBeGreaterThan(350_000)
    expect(told.after).toMatchObject({ free: 0, wal: 0 })
    expect(told.after.file).toBeLessThan(told.before.file - 350_000)
    expect(await holdfast(folder, ['store', 'vacuum'])).toMatchObject({ code: 0, stdout: expect.stringContaining('KiB') })
    expect((await holdfast(folder, ['show', thread])).stdout).toContain('agent: ok')
  })
})
