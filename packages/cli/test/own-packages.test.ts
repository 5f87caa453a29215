import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findLocalPackages, toInstallLine } from '../src/own-packages.ts'
import { folderWith } from './command-kit.ts'

const NAMES = ['@holdfast/runtime', '@holdfast/config', 'holdfast'] as const

/** A project in which npm has installed the packages, and noted from where. */
function installed(from: (name: string) => string): string {
  const packages = Object.fromEntries(NAMES.map((name) => [`node_modules/${name}`, { version: '0.1.0', resolved: from(name) }]))
  return folderWith({
    'node_modules/holdfast/package.json': '{}',
    'node_modules/.package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { ...packages, 'node_modules/zod': {} } })
  })
}

describe('where a project gets the packages from', () => {
  test('is the checkout of the command that makes it', () => {
    const folder = folderWith(Object.fromEntries(['runtime', 'config', 'cli'].map((name) => [`packages/${name}/package.json`, '{}'])))
    expect(findLocalPackages(join(folder, 'packages/cli'))).toEqual(
      ['runtime', 'config', 'cli'].map((name) => join(folder, 'packages', name))
    )
  })

  test('are the packed files that the command was installed from', () => {
    const folder = installed((name) => `file:../packed files/${name.replace('@', '').replace('/', '-')}.tgz`)
    const files = ['holdfast-runtime', 'holdfast-config', 'holdfast'].map((name) => join(folder, `../packed files/${name}.tgz`))
    expect(findLocalPackages(join(folder, 'node_modules/holdfast'))).toEqual(files)
    expect(toInstallLine(files)).toBe(`npm install ${files.map((file) => `'${file}'`).join(' ')}`)
  })

  test.each([
    ['the command came from there', () => installed((name) => `https://registry.example/${name}.tgz`)],
    ['one of them came from there', () => installed((name) => (name === 'holdfast' ? 'file:../x.tgz' : 'https://registry.example/x.tgz'))],
    ['nobody noted where it came from', () => folderWith({ 'node_modules/holdfast/package.json': '{}' })],
    [
      'the note cannot be read',
      () => folderWith({ 'node_modules/holdfast/package.json': '{}', 'node_modules/.package-lock.json': 'torn {' })
    ]
  ])('is the registry where %s', (_, make) => {
    expect(findLocalPackages(join(make(), 'node_modules/holdfast'))).toEqual([])
    expect(toInstallLine([])).toBe('npm install')
  })
})
