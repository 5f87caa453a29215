// Whatever path is given where a file is expected: nothing hangs, nothing is read without a bound, and it is said what is there.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, shell, startHoldfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const AGENT = scriptedAgent([{ text: 'ok' }], { variables: [{ key: 'week', type: 'string', value: 'this' }] })
const CONFIG = 'holdfast.config.yaml'

/** Each names a path in its own way. */
const WAYS: readonly (readonly [string, (path: string) => readonly string[]])[] = [
  ['an agent', (path) => ['run', path]],
  ['an agent to look at', (path) => ['tools', path]],
  ['a configuration', (path) => ['run', 'agent.yaml', '--config', path]],
  ['an attachment', (path) => ['run', 'agent.yaml', '--attach', path]],
  ['an input', (path) => ['run', 'agent.yaml', '--input', `@${path}`]],
  ['a variable', (path) => ['run', 'agent.yaml', '--var', `week=@${path}`]],
  ['a script', (path) => ['run', 'agent.yaml', '--model', `scripted/${path}`]],
  ['an import', (path) => ['import', path]]
]

describe.skipIf(process.platform === 'win32')('a path that is no file', () => {
  test.for(WAYS)('as %s is refused, and said what it is', async ([, argv]) => {
    const folder = folderWith({ ...AGENT, 'folder/x': '' })
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    for (const path of ['pipe', 'folder', '/dev/zero']) {
      const told = await holdfast(folder, [...argv(path), '--json'])
      expect([path, told.code, JSON.parse(told.stdout)]).toMatchObject([path, 2, { error: { code: 'file_unreadable' } }])
      expect(told.stderr).toContain(path)
    }
  })

  test.for(['threads', 'run agent.yaml'])('as the configuration of the folder is refused: %s', async (line) => {
    const folder = folderWith(AGENT)
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, CONFIG)])
    const told = await holdfast(folder, [...line.split(' '), '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'file_unreadable' } })
  })

  test.for(['threads', 'run agent.yaml'])(
    'as a configuration that is a link to itself is refused where one is looked for: %s',
    async (line) => {
      const folder = folderWith({ ...AGENT, 'inner/agent.yaml': '' })
      symlinkSync(CONFIG, join(folder, CONFIG))
      const told = await holdfast(join(folder, 'inner'), [...line.split(' '), '--json'])
      expect(told.code).toBe(2)
      expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'file_unreadable', details: { path: join(folder, CONFIG) } } })
    }
  )

  test('as a tools module is refused', async () => {
    const folder = folderWith({ ...AGENT, 'folder.mjs/x': '' })
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe.mjs')])
    for (const path of ['pipe.mjs', 'folder.mjs']) {
      const told = await holdfast(folder, ['run', 'agent.yaml', '--tools', path, '--json'])
      expect([told.code, JSON.parse(told.stdout)]).toMatchObject([2, { error: { code: 'file_unreadable' } }])
    }
  })

  test('as a store is refused, and nothing is written to it', async () => {
    const folder = folderWith({ ...AGENT, 'folder/x': '' })
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    for (const path of ['pipe', 'folder', '/dev/null']) {
      const told = await holdfast(folder, ['run', 'agent.yaml', '--store', path, '--json'])
      expect([told.code, JSON.parse(told.stdout)]).toMatchObject([6, { error: { code: 'store_foreign' } }])
    }
  })

  test('as an environment file beside the configuration is left alone', async () => {
    const folder = folderWith({ ...AGENT, [CONFIG]: 'version: "1.0"\n' })
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, '.env')])
    expect((await holdfast(folder, ['run', 'agent.yaml'])).code).toBe(0)
  })
})

test.for(WAYS.filter(([name]) => name !== 'an import'))('a file larger than %s may be is not read whole', async ([, argv]) => {
  const folder = folderWith(AGENT)
  writeFileSync(join(folder, 'huge'), '')
  // Takes no room, and would take all memory.
  truncateSync(join(folder, 'huge'), 64 * 1024 ** 3)
  const told = await holdfast(folder, [...argv('huge'), '--json'])
  expect(told.code).toBe(2)
  expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: expect.stringMatching(/^(value_too_large|file_unreadable)$/) } })
})

describe.skipIf(process.platform === 'win32')('a pipe to write to', () => {
  test('is given up when nobody reads it', async () => {
    const folder = folderWith(AGENT)
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    const told = await holdfast(folder, ['export', thread, '-o', 'pipe', '--json'])
    expect([told.code, JSON.parse(told.stdout)]).toMatchObject([2, { error: { code: 'output_unwritable' } }])
  })

  test('is written to its end, however slowly it is read', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'x'.repeat(200_000) }]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    const run = shell(
      folder,
      `(sleep 0.3; exec 3<pipe; sleep 0.3; cat <&3 >got) & holdfast export ${thread} -o pipe; code=$?; wait; exit $code`
    )
    expect(await run.ended).toBe(0)
    expect(readFileSync(join(folder, 'got'), 'utf8')).toBe((await holdfast(folder, ['export', thread])).stdout)
  })
})

describe.skipIf(!existsSync('/dev/fd'))('a pipe that somebody writes to', () => {
  test('is read to its end, however slowly it comes', async () => {
    const folder = folderWith(AGENT)
    const line =
      "holdfast run <(sleep 0.3; head -c 40 agent.yaml; sleep 0.3; tail -c +41 agent.yaml) --input @<(sleep 0.3; echo 'Hello') --json"
    const run = shell(folder, line)
    await run.ended
    // A script beside a pipe is looked for where the pipe is: what matters is that the manifest was read.
    expect(run.stderr()).not.toContain('invalid_manifest')
    expect(run.stderr()).toContain('script.yaml')
    const input = shell(folder, 'holdfast run agent.yaml --input @<(sleep 0.3; printf Hel; sleep 0.3; printf lo) --json')
    expect(await input.ended).toBe(0)
    expect(JSON.parse(input.stdout())).toMatchObject({ status: 'completed' })
  })

  test('with a name is waited for', async () => {
    const folder = folderWith(AGENT)
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    const run = shell(folder, '(sleep 0.3; printf Hello >pipe) & holdfast run agent.yaml --input @pipe; wait')
    expect(await run.ended).toBe(0)
    expect(run.stdout()).toBe('ok\n')
  })

  test('and that gives nothing can be interrupted', async () => {
    const folder = folderWith(AGENT)
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    const writer = shell(folder, 'exec 3<>pipe; sleep 60')
    const run = startHoldfast(folder, ['run', 'agent.yaml', '--input', '@pipe', '--timeout', '2s'])
    expect(await run.ended).toBe(124)
    writer.child.kill('SIGKILL')
  })
})
