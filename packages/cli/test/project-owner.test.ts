// A configuration names modules and programs that are run, and above the current folder others may write: in that of temporary files, all.
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const CONFIG = 'holdfast.config.yaml'
const STRANGER = 65_534
const mayGiveAway = process.getuid?.() === 0

// Only root gives files to others.
describe.skipIf(!mayGiveAway)('a project of another user above the current folder', () => {
  const projectWith = (owner: number): string => {
    const folder = folderWith({ [CONFIG]: JSON.stringify({ version: '1.0' }), ...inside('mine', scriptedAgent([{ text: 'ok' }])) })
    chownSync(join(folder, CONFIG), owner, owner)
    return folder
  }

  test('is refused where its configuration would be used, and nothing is made', async () => {
    const folder = projectWith(STRANGER)
    for (const argv of [['run', 'agent.yaml'], ['threads'], ['config', 'show'], ['models']]) {
      const told = await holdfast(join(folder, 'mine'), [...argv, '--json'])
      expect([argv, told.code, JSON.parse(told.stdout)]).toMatchObject([
        argv,
        2,
        { error: { code: 'file_unreadable', details: { path: join(folder, CONFIG), uid: STRANGER } } }
      ])
    }
    expect([folder, join(folder, 'mine')].map((each) => existsSync(join(each, '.holdfast')))).toEqual([false, false])
  })

  test('is used where one starts in it, or names it', async () => {
    const folder = projectWith(STRANGER)
    expect((await holdfast(folder, ['run', 'mine/agent.yaml'])).code).toBe(0)
    const store = join(folder, 'mine', 'own.db')
    expect((await holdfast(join(folder, 'mine'), ['run', 'agent.yaml', '--config', join('..', CONFIG), '--store', store])).code).toBe(0)
  })

  test('is refused where its store would be used', async () => {
    const folder = folderWith(inside('mine', scriptedAgent([{ text: 'ok' }])))
    mkdirSync(join(folder, '.holdfast'))
    chownSync(join(folder, '.holdfast'), STRANGER, STRANGER)
    expect((await holdfast(join(folder, 'mine'), ['run', 'agent.yaml'])).code).toBe(2)
    expect(existsSync(join(folder, '.holdfast', 'holdfast.db'))).toBe(false)
  })

  test('is told by doctor, which looks at the rest', async () => {
    const { code, stdout } = await holdfast(join(projectWith(STRANGER), 'mine'), ['doctor', '--json'])
    const checks = JSON.parse(stdout) as { readonly checks: readonly { readonly name: string; readonly state: string }[] }
    expect(code).toBe(1)
    expect(checks.checks).toContainEqual(expect.objectContaining({ name: 'configuration', state: 'failed' }))
    expect(checks.checks).toContainEqual(expect.objectContaining({ name: 'node', state: 'ok' }))
  })

  test('is like any other when it is of the system or of oneself', async () => {
    const folder = projectWith(0)
    expect((await holdfast(join(folder, 'mine'), ['run', 'agent.yaml'])).code).toBe(0)
    expect(existsSync(join(folder, '.holdfast'))).toBe(true)
  })
})

function inside(folder: string, files: { readonly [path: string]: string }): { readonly [path: string]: string } {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [join(folder, path), text]))
}
