import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Costly to load: each is loaded when it is first used. */
const LAZY = ['ajv', 'ipaddr.js', 'liquidjs', 're2js', 'undici', 'yaml']

test('importing the runtime loads no library that is loaded when first used', () => {
  const packages = packagesLoadedBy('@holdfast/runtime')
  expect(packages).toContain('@holdfast/runtime')
  expect(packages.filter((name) => LAZY.includes(name))).toEqual([])
})

test('importing the runtime does not load the table of prices', () => {
  const modules = modulesLoadedBy('@holdfast/runtime')
  expect(modules).toContain('./prices/price-lookup.ts')
  expect(modules.filter((name) => name.endsWith('.json'))).toEqual([])
})

test('importing the runtime loads no store of files, and nothing that only definitions need', () => {
  const modules = modulesLoadedBy('@holdfast/runtime')
  expect(modules).toContain('./stores/sqlite.ts')
  expect(modules).toContain('./manifest/definitions.ts')
  const late = [
    'node:sqlite',
    './stores/sqlite-store.ts',
    './sqlite-store.ts',
    './publish.ts',
    './agent-manifest.ts',
    './resolve-plugins.ts',
    './initial-prompt-checks.ts'
  ]
  expect(modules.filter((name) => late.includes(name))).toEqual([])
})

test('importing the runtime does not open the standard streams of the process', () => {
  expect(modulesLoadedBy('@holdfast/runtime')).toContain('node:crypto')
  expect(modulesLoadedBy('@holdfast/runtime')).not.toContain('node:process')
})

test('importing the configuration loads no provider', () => {
  const packages = packagesLoadedBy('@holdfast/config')
  expect(packages).toContain('@holdfast/config')
  expect(packages.filter((name) => name.startsWith('@ai-sdk/') && name !== '@ai-sdk/provider')).toEqual([])
})

/** Names of the packages whose files a fresh process loads when it imports one. */
function packagesLoadedBy(specifier: string): readonly string[] {
  return modulesLoadedBy(specifier)
    .filter((name) => /^[@a-z]/.test(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/')
    )
}

/** What a fresh process asks for when it imports a package, as the importing files name it. */
function modulesLoadedBy(specifier: string): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ resolve(name, context, next) { seen.push(name); return next(name, context) } })
    await import(${JSON.stringify(specifier)})
    console.log(JSON.stringify(seen))`
  const args = ['--conditions=@holdfast/source', '--input-type=module', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as readonly string[]
}
