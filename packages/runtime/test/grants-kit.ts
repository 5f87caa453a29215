// Grants as people write them, and what they hold by a second way of reading them: plain text and lists of names, nothing of the code under test.
import fc from 'fast-check'
import type { GrantedNames, Grants, GrantsInput } from '../src/contracts/grants.ts'
import { AGENT_REACHES, CODE_LANGUAGES, SHELL_GRANTS } from '../src/grants/intersect-grants.ts'
import { parseGrants } from '../src/grants/parse-grants.ts'

/** Grants that must be readable. */
export function grantsOf(input: GrantsInput): Grants {
  const parsed = parseGrants(input)
  if (!parsed.ok) throw new Error(`these are no grants: ${JSON.stringify([input, parsed.faults])}`)
  return parsed.value
}

/** Hosts in their canonical spelling, and other spellings of them. */
const SPELLINGS: { readonly [host: string]: readonly string[] } = {
  'a.com': ['a.com', 'A.com', 'a.com.', 'ａ.com'],
  'b.a.com': ['b.a.com', 'B.A.COM'],
  'c.b.a.com': ['c.b.a.com'],
  'xa.com': ['xa.com'],
  com: ['com'],
  'xn--bcher-kva.a.com': ['bücher.a.com', 'xn--bcher-kva.a.com', 'XN--BCHER-KVA.a.com'],
  '127.0.0.1': ['127.0.0.1', '127.1', '0x7f000001'],
  '[::1]': ['[::1]', '[0:0:0:0:0:0:0:1]'],
  '[::ffff:7f00:1]': ['[::ffff:127.0.0.1]']
}
const SUFFIXES = ['com', 'a.com', 'b.a.com', 'A.Com']
const PORTS = [1, 80, 443]
const NAMES = ['a', 'ab', 'A', 'а']
const IDENTITIES = ['code', 'host:run', 'os:run', 'host:RUN', 'mcp:git/run', 'mcp:gi/trun', 'agent:run']
/** From nothing on. */
export const SHELLS: readonly string[] = SHELL_GRANTS
const ROOT_NAMES = ['a', 'ab', 'b']

/** Something that grants are asked for. */
export interface Member {
  readonly kind:
    | 'host'
    | 'read'
    | 'write'
    | 'shell'
    | 'env'
    | 'tools'
    | 'connections'
    | 'definitions'
    | 'models'
    | 'agent'
    | 'reach'
    | 'code'
  readonly name: string
  readonly port?: number
  /** Reached at a private address, from a file, with a network. */
  readonly more?: boolean
  readonly depth?: number
}

const PATHS = ['', 'w:', 'ws:'].flatMap((prefix) =>
  namesUpTo(3).map((names) => (names.length === 0 ? `${prefix}/` : `${prefix}/${names.join('/')}`))
)

/** All that is asked about. */
export const MEMBERS: readonly Member[] = [
  ...Object.keys(SPELLINGS).flatMap((name) =>
    PORTS.flatMap((port) => [false, true].map((more): Member => ({ kind: 'host', name, port, more })))
  ),
  ...(['read', 'write'] as const).flatMap((kind) => PATHS.map((name): Member => ({ kind, name }))),
  ...SHELL_GRANTS.slice(1).map((name): Member => ({ kind: 'shell', name })),
  ...(['connections', 'definitions', 'models'] as const).flatMap((kind) => NAMES.map((name): Member => ({ kind, name }))),
  ...['A', 'AB', 'a', '_'].map((name): Member => ({ kind: 'env', name })),
  ...IDENTITIES.map((name): Member => ({ kind: 'tools', name })),
  ...[1, 2, 3].flatMap((depth) => [false, true].map((more): Member => ({ kind: 'agent', name: '', depth, more }))),
  { kind: 'reach', name: 'any' },
  ...CODE_LANGUAGES.flatMap((name) => [false, true].map((more): Member => ({ kind: 'code', name, more })))
]

const port = fc.option(fc.constantFrom(...PORTS), { nil: undefined })
const place = fc
  .tuple(fc.constantFrom(...Object.values(SPELLINGS).flat()), fc.constantFrom(...PORTS))
  .map(([host, number]) => `${host}:${number}`)
const entry = fc.oneof(
  place,
  fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...Object.values(SPELLINGS).flat()),
        fc.constantFrom(...SUFFIXES.map((each) => `*.${each}`)),
        fc.constant('*')
      ),
      port
    )
    .map(([host, number]) => (number === undefined ? host : `${host}:${number}`))
)
const root = fc
  .tuple(
    fc.constantFrom('', 'w:', 'ws:'),
    fc.array(fc.constantFrom(...ROOT_NAMES), { maxLength: 3 }),
    fc.constantFrom('/', '//'),
    fc.constantFrom('', '/')
  )
  .map(([prefix, names, slash, end]) => `${prefix}/${names.join(slash)}${names.length > 0 ? end : ''}`)

function listOf(item: fc.Arbitrary<string>, maxLength = 4): fc.Arbitrary<GrantedNames> {
  return fc.oneof({ weight: 5, arbitrary: fc.array(item, { maxLength }) }, { weight: 1, arbitrary: fc.constant<GrantedNames>('all') })
}

const network = fc
  .record(
    {
      hosts: fc.array(entry, { maxLength: 4 }),
      private: fc.oneof(fc.boolean(), fc.constant('all' as const), fc.constant('some' as const))
    },
    { requiredKeys: [] }
  )
  // A list of private places may only name what the hosts hold.
  .map(({ private: opened, ...rest }) =>
    opened === undefined
      ? rest
      : { ...rest, private: opened === 'some' ? (rest.hosts ?? []).filter((each) => isPlace(each)).slice(0, 2) : opened }
  )

/** Grants as people write them: any spelling, any order, nested and repeated, fields left out. */
export const written: fc.Arbitrary<GrantsInput> = fc.record(
  {
    files: fc.record({ read: listOf(root), write: listOf(root) }, { requiredKeys: [] }),
    shell: fc.constantFrom(...SHELL_GRANTS),
    network,
    env: listOf(fc.constantFrom('A', 'AB', 'a', '_')),
    tools: listOf(fc.constantFrom(...IDENTITIES)),
    connections: listOf(fc.constantFrom(...NAMES)),
    definitions: listOf(fc.constantFrom(...NAMES)),
    agents: fc.oneof(
      fc.record({ start: fc.boolean(), files: fc.boolean(), depth: fc.nat(3), reach: fc.constantFrom(...AGENT_REACHES) }),
      fc.record({ files: fc.boolean(), reach: fc.constantFrom(...AGENT_REACHES) }, { requiredKeys: [] })
    ),
    models: listOf(fc.constantFrom(...NAMES)),
    code: fc.record(
      { languages: fc.array(fc.constantFrom(...CODE_LANGUAGES), { maxLength: 4 }), network: fc.boolean() },
      { requiredKeys: [] }
    )
  },
  { requiredKeys: [] }
)

/** Whether grants as they were written hold something. */
export function holds(grants: GrantsInput, { kind, name, port = 0, more = false, depth = 0 }: Member): boolean {
  switch (kind) {
    case 'host':
      return holdsHost(grants, name, port, more)
    case 'read':
    case 'write':
      return holdsIn(grants.files?.[kind], (each) => isUnder(name, each))
    case 'shell':
      return SHELLS.indexOf(name) <= SHELLS.indexOf(grants.shell ?? 'none')
    case 'agent':
      return grants.agents?.start === true && depth <= (grants.agents.depth ?? 0) && (!more || grants.agents.files === true)
    case 'reach':
      return grants.agents?.reach === 'any'
    case 'code':
      return (grants.code?.languages ?? []).some((each) => each === name) && (!more || grants.code?.network === true)
    case 'env':
    case 'tools':
    case 'connections':
    case 'definitions':
    case 'models':
      return holdsIn(grants[kind], (each) => each === name)
  }
}

function holdsIn(set: GrantedNames | undefined, isIt: (each: string) => boolean): boolean {
  return set === 'all' || (set ?? []).some(isIt)
}

function holdsHost({ network: { hosts = [], private: opened = false } = {} }: GrantsInput, host: string, port: number, isPrivate: boolean) {
  if (!hosts.some((each) => isHostOf(each, host, port))) return false
  if (!isPrivate || opened === 'all') return true
  if (opened === false) return false
  return (opened === true ? hosts : opened).some((each) => isPlace(each) && isHostOf(each, host, port))
}

function isHostOf(text: string, host: string, port: number): boolean {
  const number = /:(\d+)$/.exec(text)?.[1]
  if (number !== undefined && Number(number) !== port) return false
  const name = text.replace(/:\d+$/, '')
  if (name === '*') return true
  if (name.startsWith('*.')) return host.toLowerCase().endsWith(name.slice(1).toLowerCase())
  return SPELLINGS[host]?.includes(name) ?? false
}

function isPlace(text: string): boolean {
  return !text.startsWith('*') && /:\d+$/.test(text) && !/^\[[^\]]*$/.test(text)
}

function isUnder(path: string, folder: string): boolean {
  const [prefix, ...names] = path.split('/')
  const [other, ...above] = folder.split('/')
  const wanted = names.filter((each) => each !== '')
  return prefix === other && above.filter((each) => each !== '').every((each, index) => wanted[index] === each)
}

function namesUpTo(depth: number): readonly (readonly string[])[] {
  if (depth === 0) return [[]]
  const shorter = namesUpTo(depth - 1)
  const longest = shorter.filter((names) => names.length === depth - 1)
  return [...shorter, ...longest.flatMap((names) => ROOT_NAMES.map((name) => [...names, name]))]
}
