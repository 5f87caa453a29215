import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually, folderWith, holdfast, linesOf, shell, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const AGENT = scriptedAgent([{ text: 'first\u2028\u009b31m' }, calling('stamp'), { text: 'second' }], { tools: ['stamp'] })

async function started(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith(AGENT)
  return { folder, thread: threadOf(await holdfast(folder, ['run', 'agent.yaml', 'say \u009b31m\u2028it', '--tools', 'tools.mjs'])) }
}

describe('holdfast export', () => {
  test('writes the same bytes to standard output and to a file, and says what it wrote', async () => {
    const { folder, thread } = await started()
    const { code, stdout, stderr } = await holdfast(folder, ['export', thread])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const told = await holdfast(folder, ['export', thread, '-o', 'thread.jsonl', '--json'])
    const file = join(folder, 'thread.jsonl')
    expect(readFileSync(file, 'utf8')).toBe(stdout)
    expect((await holdfast(folder, ['export', thread, '-o', '-'])).stdout).toBe(stdout)
    expect(existsSync(join(folder, '-'))).toBe(false)
    expect(JSON.parse(told.stdout)).toEqual({ thread, file, lines: stdout.split('\n').length - 1, bytes: Buffer.byteLength(stdout) })
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    const types = linesOf(file).map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types.slice(0, 3)).toEqual(['thread', 'publication', 'commit'])
    expect(types.at(-1)).toBe('item')
    // It may be looked at.
    expect((await holdfast(folder, ['export', thread], { tty: true })).stdout).toBe(stdout)
    expect(stdout).not.toMatch(/[\u007f-\u009f\u2028]/)
  })

  test('replaces a file whole, and leaves it where the thread is not there', async () => {
    const { folder, thread } = await started()
    const file = join(folder, 'thread.jsonl')
    writeFileSync(file, 'old')
    expect((await holdfast(folder, ['export', 'thr_none', '-o', file])).code).toBe(2)
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect((await holdfast(folder, ['export', thread, '-o', file])).code).toBe(0)
    expect(linesOf(file).length).toBeGreaterThan(3)
    const nowhere = await holdfast(folder, ['export', thread, '-o', 'no/such/folder.jsonl', '--json'])
    expect(nowhere.code).toBe(2)
    expect(JSON.parse(nowhere.stdout)).toMatchObject({ error: { code: 'output_unwritable' } })
  })

  test('goes through a link, and leaves the link', async () => {
    const { folder, thread } = await started()
    writeFileSync(join(folder, 'thread.jsonl'), 'old')
    symlinkSync('thread.jsonl', join(folder, 'link.jsonl'))
    expect((await holdfast(folder, ['export', thread, '-o', 'link.jsonl'])).code).toBe(0)
    expect(lstatSync(join(folder, 'link.jsonl')).isSymbolicLink()).toBe(true)
    expect(linesOf(join(folder, 'thread.jsonl')).length).toBeGreaterThan(3)
  })

  test('writes into a pipe that has a name, and leaves it in its place', async () => {
    const { folder, thread } = await started()
    const pipe = join(folder, 'pipe')
    await shell(folder, 'mkfifo pipe').ended
    const reader = shell(folder, 'cat pipe')
    expect((await holdfast(folder, ['export', thread, '-o', 'pipe'])).code).toBe(0)
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    await reader.ended
    expect(reader.stdout()).toBe((await holdfast(folder, ['export', thread])).stdout)
  })

  test.runIf(existsSync('/dev/full'))('says that a device took nothing', async () => {
    const { folder, thread } = await started()
    const told = await holdfast(folder, ['export', thread, '-o', '/dev/full', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'output_unwritable' } })
    expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true)
  })

  test('refuses --json without a file', async () => {
    const { folder, thread } = await started()
    expect((await holdfast(folder, ['export', thread, '--json'])).code).toBe(2)
  })
})

describe('holdfast import', () => {
  test('makes the thread in another store, where it goes on, and exports to the same bytes', async () => {
    const { folder, thread } = await started()
    const exported = (await holdfast(folder, ['export', thread])).stdout
    const other = folderWith({ ...AGENT, 'thread.jsonl': exported })
    const told = await holdfast(other, ['import', 'thread.jsonl'])
    expect(told).toMatchObject({ code: 0, stdout: `${thread}\n`, stderr: expect.stringContaining('completed') })
    expect((await holdfast(other, ['export', thread])).stdout).toBe(exported)
    const again = await holdfast(other, ['import', '-', '--json'], { stdin: exported })
    expect(JSON.parse(again.stdout)).toEqual({ thread, state: 'repeated', status: 'completed' })
    expect(await holdfast(other, ['store', 'check'])).toMatchObject({ code: 0 })
    // Nothing tells it where its tools and its script are: it is driven with what it is given.
    expect(await holdfast(other, ['message', thread, 'go on', '--tools', 'tools.mjs'])).toMatchObject({ code: 0, stdout: 'second\n' })
    expect(linesOf(join(other, 'ledger.txt'))).toHaveLength(1)
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(0)
  })

  test('brings a run that was killed in the middle of a call, which is resumed and said to be unknown', async () => {
    const folder = folderWith(scriptedAgent([calling('pay', { ms: 60_000 }), { text: 'done' }], { tools: ['pay'] }))
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await eventually(() => linesOf(join(folder, 'ledger.txt')).length === 1)
    running.child.kill('SIGKILL')
    await running.ended
    const thread = threadOf(running.stderr())
    await holdfast(folder, ['export', thread, '-o', 'thread.jsonl'])
    expect((await holdfast(folder, ['import', 'thread.jsonl', '--store', 'other.db'])).code).toBe(0)
    const resumed = await holdfast(folder, ['resume', thread, '--store', 'other.db', '--tools', 'tools.mjs'])
    expect(resumed).toMatchObject({ code: 0, stdout: 'done\n' })
    // Idempotent: it was paid under the same key before.
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
  })

  test('refuses to overwrite another thread, and names the way', async () => {
    const { folder, thread } = await started()
    await holdfast(folder, ['export', thread, '-o', 'old.jsonl'])
    await holdfast(folder, ['message', thread, 'more'])
    await holdfast(folder, ['export', thread, '-o', 'new.jsonl'])
    expect(await holdfast(folder, ['import', 'old.jsonl', '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('repeated')
    })
    expect((await holdfast(folder, ['import', 'old.jsonl', '--store', 'other.db'])).code).toBe(0)
    const told = await holdfast(folder, ['import', 'new.jsonl', '--store', 'other.db'])
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining(`holdfast rm ${thread} --store other.db`) })
    expect((await holdfast(folder, ['rm', thread, '--store', 'other.db'])).code).toBe(0)
    expect((await holdfast(folder, ['import', 'new.jsonl', '--store', 'other.db'])).code).toBe(0)
  })

  test.for([
    ['a file that is not there', 'none.jsonl', undefined, 'file_not_found'],
    ['a folder', '.', undefined, 'file_unreadable'],
    ['what is not UTF-8', 'binary.jsonl', undefined, 'file_unreadable'],
    ['what is no export', 'script.yaml', undefined, 'invalid_input'],
    ['an empty standard input', '-', '', 'invalid_input']
  ] as const)('refuses %s', async ([, file, stdin, code]) => {
    const folder = folderWith(AGENT)
    writeFileSync(join(folder, 'binary.jsonl'), Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))
    const told = await holdfast(folder, ['import', file, '--json'], stdin === undefined ? {} : { stdin })
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code } })
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  })

  test('names the line of a file that was changed', async () => {
    const { folder, thread } = await started()
    const lines = (await holdfast(folder, ['export', thread])).stdout.replace('first', 'FIRST')
    const told = await holdfast(folder, ['import', '-', '--store', 'other.db', '--json'], { stdin: lines })
    expect(told.code).toBe(6)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'log_corrupt', details: { line: expect.any(Number) } } })
  })
})
