import type { Case, Forbidden } from './lint-edits.ts'
import { clock, IMPORTS, importing, layer, npm, providerType, RUNTIME, source, tangle } from './lint-edits.ts'

/** Files that the cases import, so that every import can be resolved. */
export const NEIGHBOURS: readonly Omit<Case, 'name'>[] = [
  ...[
    'contracts',
    'util',
    'grants',
    'state',
    'manifest',
    'effects',
    'loop',
    'http',
    'tools',
    'stores',
    'artifacts',
    'models',
    'prices',
    'transfer',
    'telemetry',
    'engine',
    'testing'
  ].map((layer) => ({
    path: `${RUNTIME}/${layer}/thing.ts`,
    source: 'export const thing = 1\n'
  })),
  { path: `${RUNTIME}/util/circle-back.ts`, source: "import { circle } from './circle.ts'\nexport const back = (): number => circle()\n" },
  {
    path: `${RUNTIME}/util/type-circle-back.ts`,
    source: "import type { There } from './type-circle.ts'\nexport type Back = There | number\n"
  }
]

export const FORBIDDEN: readonly Forbidden[] = [
  layer('grants', 'state'),
  layer('grants', 'manifest'),
  layer('grants', 'http'),
  layer('state', 'grants'),
  layer('http', 'grants'),
  layer('state', 'loop'),
  layer('state', 'effects'),
  layer('state', 'manifest'),
  layer('loop', 'effects'),
  layer('loop', 'state'),
  layer('loop', 'engine'),
  layer('contracts', 'util'),
  layer('contracts', 'state'),
  layer('util', 'contracts'),
  layer('manifest', 'effects'),
  layer('manifest', 'loop'),
  layer('effects', 'loop'),
  layer('effects', 'stores'),
  layer('effects', 'engine'),
  layer('http', 'tools'),
  layer('tools', 'state'),
  layer('tools', 'effects'),
  layer('stores', 'state'),
  layer('stores', 'models'),
  layer('http', 'state'),
  layer('tools', 'manifest'),
  layer('models', 'stores'),
  layer('models', 'effects'),
  layer('prices', 'effects'),
  layer('transfer', 'effects'),
  layer('transfer', 'stores'),
  layer('artifacts', 'stores'),
  layer('artifacts', 'state'),
  layer('telemetry', 'stores'),
  layer('telemetry', 'state'),
  layer('prices', 'state'),
  layer('effects', 'prices'),
  layer('engine', 'state'),
  layer('engine', 'effects'),
  layer('engine', 'stores'),
  layer('testing', 'stores'),
  layer('testing', 'state'),
  npm('contracts', 'yaml'),
  npm('contracts', 'node:crypto'),
  npm('util', 'zod'),
  npm('util', 'node:fs'),
  npm('grants', 'zod'),
  npm('grants', 're2js'),
  npm('state', 'zod'),
  npm('state', 'node:fs'),
  npm('manifest', '@ai-sdk/provider'),
  npm('effects', 'ajv'),
  npm('effects', 'node:sqlite'),
  npm('loop', '@ai-sdk/provider'),
  npm('loop', 'node:timers'),
  npm('http', 'yaml'),
  npm('manifest', 're2js'),
  npm('tools', 're2js'),
  npm('tools', 'undici'),
  npm('stores', 'zod'),
  npm('http', 'zod'),
  npm('models', 'liquidjs'),
  npm('prices', 'node:fs'),
  npm('transfer', 'node:fs'),
  npm('artifacts', 'zod'),
  npm('telemetry', 'zod'),
  npm('engine', 'node:timers/promises'),
  npm('testing', 'node:fs'),
  {
    name: 'a type import across layers',
    path: `${RUNTIME}/state/type-only.ts`,
    source: "import type { Thing } from '../loop/thing.ts'\nexport type Copy = Thing\n",
    rule: IMPORTS
  },
  {
    name: 'a re-export across layers',
    path: `${RUNTIME}/loop/re-export.ts`,
    source: "export { thing } from '../effects/thing.ts'\n",
    rule: IMPORTS
  },
  {
    name: 'an import() across layers',
    path: `${RUNTIME}/engine/lazy.ts`,
    source: "export const load = async (): Promise<unknown> => await import('../state/thing.ts')\n",
    rule: IMPORTS
  },
  {
    name: 'a way around the table through an allowed folder',
    path: `${RUNTIME}/state/detour.ts`,
    source: "import { thing } from '../contracts/../loop/thing.ts'\nexport const copy = thing\n",
    rule: IMPORTS
  },
  {
    name: 'a way around the table through its own folder',
    path: `${RUNTIME}/state/own-detour.ts`,
    source: "import { thing } from './../loop/thing.ts'\nexport const copy = thing\n",
    rule: IMPORTS
  },
  {
    name: 'a value of the provider interface in the contracts',
    path: `${RUNTIME}/contracts/provider-value.ts`,
    source: "import { APICallError } from '@ai-sdk/provider'\nexport const call = APICallError\n",
    rule: 'plugin'
  },
  {
    name: 'yaml in the configuration package',
    path: 'packages/config/src/parse.ts',
    source: "import { parse } from 'yaml'\nexport const read = parse\n",
    rule: IMPORTS
  },
  {
    name: 'zod in the command',
    path: 'packages/cli/src/schema.ts',
    source: "import { z } from 'zod'\nexport const text = z.string()\n",
    rule: IMPORTS
  },
  {
    name: 'a package that is not declared',
    path: `${RUNTIME}/undeclared.ts`,
    source: "import { z } from 'lodash'\nexport const text = z\n",
    rule: 'lint/correctness/noUndeclaredDependencies'
  },
  {
    name: 'an import cycle',
    path: `${RUNTIME}/util/circle.ts`,
    source: "import { back } from './circle-back.ts'\nexport const circle = (): number => back()\n",
    rule: 'lint/suspicious/noImportCycles'
  },
  {
    name: 'an import cycle of types',
    path: `${RUNTIME}/util/type-circle.ts`,
    source: "import type { Back } from './type-circle-back.ts'\nexport type There = Back | string\n",
    rule: 'lint/suspicious/noImportCycles'
  },
  source('export-all', "export * from './thing.ts'\n", 'lint/performance/noReExportAll'),
  source('barrel', "export { thing } from './thing.ts'\n", 'lint/performance/noBarrelFile'),
  source('long-file', 'export const line = 1\n'.replace('1', `[\n${'  1,\n'.repeat(300)}  1\n]`), 'lint/style/noExcessiveLinesPerFile'),
  source(
    'long-function',
    `export function long(list: number[]): void {\n${'  list.push(1)\n'.repeat(61)}}\n`,
    'lint/complexity/noExcessiveLinesPerFunction'
  ),
  source('tangle', tangle(), 'lint/complexity/noExcessiveCognitiveComplexity'),
  source('default-export', 'export default 1\n', 'lint/style/noDefaultExport'),
  source('enum', 'export enum Colour {\n  Red\n}\n', 'lint/style/noEnum'),
  source('any', 'export const loose: any = 1\n', 'lint/suspicious/noExplicitAny'),
  source('assertion', 'export const first = (list: readonly number[]): number => list[0]!\n', 'lint/style/noNonNullAssertion'),
  source('no-suffix', "import { thing } from './thing'\nexport const copy = thing\n", 'lint/correctness/useImportExtensions'),
  source('bare-node', "import { hash } from 'crypto'\nexport const digest = hash\n", 'lint/style/useNodejsImportProtocol'),
  source('camelCase', 'export const name = 1\n', 'lint/style/useFilenamingConvention'),
  source('console', "console.log('hello')\n", 'lint/suspicious/noConsole'),
  source('inline-type', "export const thing: import('./thing.ts').thing = 1\n", 'plugin'),
  source('lazy', "export const load = async (): Promise<unknown> => await import('./thing.ts')\n", 'plugin'),
  source('floating', 'export const run = async (): Promise<void> => {}\nrun()\n', 'lint/nursery/noFloatingPromises'),
  source(
    'misused',
    'const ready = async (): Promise<boolean> => true\nexport const now = (): number => {\n  if (ready()) return 1\n  return 2\n}\n',
    'lint/nursery/noMisusedPromises'
  ),
  source(
    'switch',
    "export const say = (kind: 'a' | 'b'): void => {\n  switch (kind) {\n    case 'a':\n      kind.trim()\n  }\n}\n",
    'lint/nursery/useExhaustiveSwitchCases'
  ),
  ...['state', 'loop', 'engine'].flatMap((folder) => [
    clock(folder, 'date', 'Date.now()', 'lint/style/noRestrictedGlobals'),
    clock(folder, 'random', 'Math.random()', 'lint/nursery/noJsRestrictedProperties'),
    clock(folder, 'timeout', 'setTimeout(() => {}, 1)', 'lint/style/noRestrictedGlobals'),
    clock(folder, 'global-timeout', 'globalThis.setTimeout(() => {}, 1)', 'lint/nursery/noJsRestrictedProperties')
  ])
]

export const ALLOWED: readonly Case[] = [
  ...Object.entries({
    contracts: ['zod', '@standard-schema/spec'],
    util: ['node:crypto', 'canonicalize', 're2js'],
    grants: ['../contracts/thing.ts', '../util/thing.ts'],
    state: ['../contracts/thing.ts', '../util/thing.ts'],
    manifest: [
      '../contracts/thing.ts',
      '../util/thing.ts',
      '../grants/thing.ts',
      '../state/thing.ts',
      'yaml',
      'ajv/dist/2020.js',
      'liquidjs',
      'zod'
    ],
    effects: [
      '../contracts/thing.ts',
      '../util/thing.ts',
      '../grants/thing.ts',
      '../state/thing.ts',
      '../manifest/thing.ts',
      '@ai-sdk/provider'
    ],
    loop: ['../contracts/thing.ts', '../util/thing.ts'],
    stores: ['../contracts/thing.ts', '../util/thing.ts', 'node:sqlite'],
    http: ['../contracts/thing.ts', '../util/thing.ts', 'undici', 'ipaddr.js', 'node:net'],
    tools: ['../contracts/thing.ts', '../util/thing.ts', '../grants/thing.ts', '../http/thing.ts', 'node:buffer'],
    models: ['../contracts/thing.ts', '../util/thing.ts', '@ai-sdk/provider'],
    prices: ['../contracts/thing.ts', '../util/thing.ts'],
    artifacts: ['../contracts/thing.ts', '../util/thing.ts', 'node:fs/promises'],
    telemetry: ['../contracts/thing.ts', '../util/thing.ts', 'node:fs/promises'],
    transfer: ['../contracts/thing.ts', '../util/thing.ts', '../grants/thing.ts', '../state/thing.ts', 'zod'],
    engine: ['../contracts/thing.ts', '../util/thing.ts', '../loop/thing.ts', 'node:fs'],
    testing: ['../contracts/thing.ts', '../util/thing.ts', 'node:assert/strict']
  }).map(([folder, paths]) => ({
    name: `${folder} to import what stands in its row`,
    path: `${RUNTIME}/${folder}/allowed.ts`,
    source: importing(['./thing.ts', ...paths])
  })),
  {
    name: 'the wiring to import every layer',
    path: `${RUNTIME}/wiring.ts`,
    source: importing(['./state/thing.ts', './effects/thing.ts', './engine/thing.ts'])
  },
  { name: 'types of the provider interface in the contracts', path: `${RUNTIME}/contracts/provider.ts`, source: providerType() },
  { name: 'an entry point to re-export', path: `${RUNTIME}/index.ts`, source: "export { thing } from './state/thing.ts'\n" },
  {
    name: 'the system clock to be a clock',
    path: `${RUNTIME}/engine/system-clock.ts`,
    source: 'export const now = (): number => Date.now()\n'
  },
  { name: 'the command to write to the console in its output file', path: 'packages/cli/src/output.ts', source: "console.log('hello')\n" },
  { name: 'a provider in the configuration package', path: 'packages/config/src/openai.ts', source: importing(['@ai-sdk/openai']) },
  { name: 'the runtime in the command', path: 'packages/cli/src/run.ts', source: importing(['@holdfast/runtime', 'commander', 'node:fs']) },
  {
    name: 'a function of sixty lines',
    path: `${RUNTIME}/util/just-long-enough.ts`,
    source: `export function long(list: number[]): void {\n${'  list.push(1)\n'.repeat(60)}}\n`
  }
]
