import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { toInstallLine } from '../src/own-packages.ts'
import { TEMPLATES } from '../src/project-template.ts'
import { addFiles, folderWith, holdfast, shell, startHoldfast } from './command-kit.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A new project whose packages are those of the workspace, as `npm install` would bring the published ones. */
async function project(example: string): Promise<string> {
  const folder = folderWith()
  const told = await holdfast(folder, ['init', 'my agent', '--example', example])
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining("cd 'my agent'") })
  const home = join(folder, 'my agent')
  mkdirSync(join(home, 'node_modules/@holdfast'), { recursive: true })
  for (const [name, target] of [
    ['@holdfast/runtime', 'packages/runtime'],
    ['@holdfast/config', 'packages/config'],
    ['holdfast', 'packages/cli'],
    ['zod', 'node_modules/zod']
  ] as const) {
    symlinkSync(join(ROOT, target), join(home, 'node_modules', name))
  }
  return home
}

describe('holdfast init', () => {
  test('knows the templates that there are', () => {
    expect(readdirSync(new URL('../templates', import.meta.url)).toSorted()).toEqual(TEMPLATES.toSorted())
  })

  test.for(TEMPLATES)('%s has everything that a project needs, and tests that pass', async (example) => {
    const home = await project(example)
    const files = [
      '.env.example',
      '.gitignore',
      'agent.test.ts',
      'agent.yaml',
      'holdfast.config.yaml',
      'package.json',
      'script.yaml',
      'tools.ts'
    ]
    expect(files.filter((path) => !existsSync(join(home, path)))).toEqual([])
    expect(readFileSync(join(home, '.gitignore'), 'utf8')).toMatch(/^\.env$/m)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as { version: string }
    expect(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-agent',
      dependencies: { holdfast: `^${version}`, '@holdfast/runtime': `^${version}`, '@holdfast/config': `^${version}` }
    })
    const report = execFileSync(process.execPath, ['--conditions=@holdfast/source', '--test', '--test-reporter=tap'], {
      cwd: home,
      encoding: 'utf8',
      // The test runner of Node tells by this that it is a child of one.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined }
    })
    expect(report).toMatch(/^# pass 1$/m)
    expect(report).toMatch(/^# fail 0$/m)
  })

  test('makes an agent that runs at once', async () => {
    const home = await project('starter')
    const running = startHoldfast(home, ['run', 'agent.yaml'])
    expect(await running.ended).toBe(0)
    expect(running.stdout()).toContain('summary.md')
    expect(readFileSync(join(home, 'summary.md'), 'utf8')).toContain('Friday')
  })

  test('makes an agent that can be talked with', async () => {
    const home = await project('support')
    const talk = shell(home, `printf 'hello\\n4711\\nI want my money back\\n' | holdfast chat agent.yaml --quiet`)
    expect(await talk.ended).toBe(0)
    expect(talk.stdout()).toMatch(/Which order.*kettle.*refunded/s)
    expect(readFileSync(join(home, 'refunds.csv'), 'utf8').trim().split('\n')).toHaveLength(1)
  })

  test('overwrites nothing: all conflicts are named, and nothing is written', async () => {
    const folder = folderWith({ 'agent.yaml': 'mine', '.gitignore': 'mine', 'other.txt': 'mine' })
    const told = await holdfast(folder, ['init', '--json'])
    expect(told.code).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'conflict', details: { conflicts: ['.gitignore', 'agent.yaml'] } } })
    expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'agent.yaml', 'other.txt'])
    expect(readFileSync(join(folder, 'agent.yaml'), 'utf8')).toBe('mine')
  })

  test('does not follow a link in place of a file, and takes no folder that is a file', async () => {
    const folder = folderWith({ file: '' })
    symlinkSync('/nowhere/at/all', join(folder, 'tools.ts'))
    expect(JSON.parse((await holdfast(folder, ['init', '--json'])).stdout)).toMatchObject({
      error: { details: { conflicts: ['tools.ts'] } }
    })
    for (const dir of ['file', 'file/below']) {
      const told = await holdfast(folder, ['init', dir, '--json'])
      expect([told.code, JSON.parse(told.stdout)]).toMatchObject([
        2,
        { error: { code: 'invalid_input', details: { path: join(folder, 'file') } } }
      ])
    }
  })

  test('makes the folder, and tells what it wrote as a document', async () => {
    const folder = folderWith()
    addFiles(folder, { 'a/keep.txt': '' })
    const told = await holdfast(folder, ['init', 'a/b/c', '--json'])
    expect(told.code).toBe(0)
    const document = JSON.parse(told.stdout) as { folder: string; files: readonly string[]; next: readonly string[] }
    expect(document).toMatchObject({
      folder: join(folder, 'a/b/c'),
      example: 'starter',
      // This command is one of a checkout, and so are the packages.
      next: ['cd a/b/c', toInstallLine(['runtime', 'config', 'cli'].map((name) => join(ROOT, 'packages', name))), 'npm start', 'npm test']
    })
    for (const path of document.files) expect(existsSync(join(document.folder, path))).toBe(true)
  })

  test('refuses an example that it does not have', async () => {
    expect(await holdfast(folderWith(), ['init', '--example', 'nothing'])).toMatchObject({ code: 2 })
  })
})
