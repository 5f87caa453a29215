import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast } from './command-kit.ts'

/** Every command, and every command below one, as the help itself lists them. */
async function allCommands(folder: string, above: readonly string[] = []): Promise<readonly (readonly string[])[]> {
  const { stdout } = await holdfast(folder, [...above, '--help'])
  const list = stdout.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? ''
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name]) => [...above, name ?? ''])
    .filter((path) => path.at(-1) !== 'help')
  return [...names, ...(await Promise.all(names.map((path) => allCommands(folder, path)))).flat()]
}

describe('the command line', () => {
  test('shows help with examples for the program and for every command', async () => {
    const folder = folderWith()
    const commands = await allCommands(folder)
    expect(commands).toEqual(expect.arrayContaining([['run'], ['resume'], ['threads'], ['show'], ['log'], ['message'], ['cancel']]))
    for (const argv of [['--help'], ['help'], ...commands.map((path) => [...path, '--help'])]) {
      const { code, stdout, stderr } = await holdfast(folder, argv)
      expect({ argv, code, stderr, hasExample: stdout.includes('$ holdfast ') }).toEqual({ argv, code: 0, stderr: '', hasExample: true })
      expect(stdout).toContain('--store')
      // A default is what one would type.
      expect(stdout).not.toMatch(/\(default:\s+(?:\[\]|\d{5,})\)/)
    }
  })

  test('shows its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
    expect(await holdfast(folderWith(), ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('shows help on standard error and fails when no command is named', async () => {
    const told = await holdfast(folderWith(), [])
    expect(told).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: holdfast') })
  })

  test.for([
    [['runn', 'x.yaml'], 'run'],
    [['run', 'x.yaml', '--tols', 'y'], '--tools'],
    [['run', 'x.yaml', '--josn'], '--json'],
    [['log', 'thr_x', '--folow'], '--follow'],
    [['threads', '--stor=x'], '--store']
  ] as const)('says what may have been meant by %j', async ([argv, meant]) => {
    const told = await holdfast(folderWith(), argv)
    expect(told.code).toBe(2)
    expect(told.stderr).toContain('error[invalid_input]')
    expect(told.stderr).toContain(`Did you mean ${meant}?`)
  })

  // B108
  test.for([
    [['run']],
    [['run', 'a.yaml', 'two', 'prompts']],
    [['resume']],
    [['message', 'thr_x']],
    [['threads', '--limit', '0']],
    [['threads', '--limit', '-1']],
    [['threads', '--limit', '1e9']],
    [['threads', '--limit', '']],
    [['threads', '--limit', 'many']],
    [['threads', '--status', 'done']],
    [['log', 'thr_x', '--from', '0']],
    [['log', 'thr_x', '--from', '1.5']],
    [['log', 'thr_x', '--follow']],
    [['log', 'thr_x', '--jsonl']],
    [['rm']],
    [['export', 'thr_x']],
    [['import']],
    [['attach', 'thr_x', '--from', '0']],
    [['wait', 'thr_x', '--timeout', 'soon']],
    [['explain', 'x']],
    [['usage', '--since', 'soon']],
    [['retry', 'thr_x', ' ']],
    [['store', 'burn']],
    [['store', 'backup']],
    [['run', 'a.yaml', '--durability', 'none']],
    [['run', 'a.yaml', '--store']]
  ] as const)('refuses %j', async ([argv]) => {
    const told = await holdfast(folderWith(), [...argv, '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'invalid_input' } })
  })

  test('takes shared options before and behind the command', async () => {
    const folder = folderWith()
    for (const argv of [
      ['--json', 'threads', '--store', 'x.db'],
      ['threads', '--json', '--store', 'x.db'],
      ['--store', 'x.db', '--json', 'threads']
    ]) {
      const told = await holdfast(folder, argv)
      expect(told.code).toBe(6)
      expect(JSON.parse(told.stdout)).toMatchObject({ error: { details: { path: expect.stringMatching(/x\.db$/) } } })
    }
  })
})
