import { describe, expect, test } from 'vitest'
import type { ShapeFault } from '../src/contracts/shape-fault.ts'
import { ALL_GRANTS, intersectGrants, NO_GRANTS } from '../src/grants/intersect-grants.ts'
import { parseGrants } from '../src/grants/parse-grants.ts'
import { readStoredGrants, toStoredGrants } from '../src/grants/stored-grants.ts'
import { parseToolIdentity, toToolIdentityText } from '../src/grants/tool-identity.ts'
import { grantsOf } from './grants-kit.ts'

type Told = Pick<ShapeFault, 'code' | 'path' | 'nearMiss'>

/** The faults of what is no grants. */
function faultsOf(value: unknown): readonly Told[] {
  const parsed = parseGrants(value)
  return parsed.ok ? [] : parsed.faults.map(({ code, path, nearMiss }) => ({ code, path, ...(nearMiss === undefined ? {} : { nearMiss }) }))
}

describe('grants as they are written', () => {
  test('are in normal form, and what is left out is not granted', () => {
    expect(grantsOf({})).toStrictEqual(NO_GRANTS)
    expect(grantsOf({ shell: 'host', agents: { start: true, depth: 2 } })).toStrictEqual({
      ...NO_GRANTS,
      shell: 'host',
      agents: { start: true, files: false, depth: 2, reach: 'descendants' }
    })
    expect(grantsOf(ALL_GRANTS)).toStrictEqual(ALL_GRANTS)
  })

  test.each<readonly [unknown, readonly Told[]]>([
    [null, [{ code: 'invalid', path: [] }]],
    [undefined, [{ code: 'missing', path: [] }]],
    ['all', [{ code: 'invalid', path: [] }]],
    [[], [{ code: 'invalid', path: [] }]],
    [{ file: {} }, [{ code: 'unknown_field', path: ['file'], nearMiss: 'files' }]],
    [{ files: { reads: [] } }, [{ code: 'unknown_field', path: ['files', 'reads'], nearMiss: 'read' }]],
    [{ files: null }, [{ code: 'invalid', path: ['files'] }]],
    [{ files: { read: '/a' } }, [{ code: 'invalid', path: ['files', 'read'] }]],
    [{ shell: 'ask' }, [{ code: 'invalid', path: ['shell'] }]],
    [{ shell: null }, [{ code: 'invalid', path: ['shell'] }]],
    [{ network: { private: 'yes' } }, [{ code: 'invalid', path: ['network', 'private'] }]],
    [{ network: { hosts: ['a.com'], private: ['a.com'] } }, [{ code: 'invalid', path: ['network', 'private', 0] }]],
    [{ network: { hosts: ['a.com'], private: ['b.com:80'] } }, [{ code: 'invalid', path: ['network', 'private', 0] }]],
    [{ network: { hosts: 'all' } }, [{ code: 'invalid', path: ['network', 'hosts'] }]],
    [{ env: ['A', 'A=1'] }, [{ code: 'invalid', path: ['env', 1] }]],
    [{ tools: ['read_file', 'host:x', 'host:'] }, [0, 2].map((index) => ({ code: 'invalid', path: ['tools', index] }))],
    [{ tools: 'none' }, [{ code: 'invalid', path: ['tools'] }]],
    // biome-ignore lint/suspicious/noSparseArray: a hole is no entry.
    [{ tools: ['code', , 'code'] }, [{ code: 'invalid', path: ['tools', 1] }]],
    [{ definitions: ['', ' a', 'a\u200b', 'a\n', 1] }, [0, 1, 2, 3, 4].map((index) => ({ code: 'invalid', path: ['definitions', index] }))],
    [{ agents: { start: true } }, [{ code: 'missing', path: ['agents', 'depth'] }]],
    [{ agents: { start: 1 } }, [{ code: 'invalid', path: ['agents', 'start'] }]],
    ...[-1, 1.5, 2 ** 53, Number.NaN, '1'].map(
      (depth) => [{ agents: { depth } }, [{ code: 'invalid', path: ['agents', 'depth'] }]] as const
    ),
    [{ agents: { reach: 'all' } }, [{ code: 'invalid', path: ['agents', 'reach'] }]],
    [{ code: { languages: ['ruby'] } }, [{ code: 'invalid', path: ['code', 'languages', 0] }]],
    [{ network: { hosts: Array(101).fill('a.com') } }, [{ code: 'invalid', path: ['network', 'hosts'] }]],
    [{ models: Array(1_001).fill('m') }, [{ code: 'invalid', path: ['models'] }]],
    [JSON.parse('{ "__proto__": { "shell": "allow" } }'), [{ code: 'unknown_field', path: ['__proto__'] }]]
  ])('are refused: %j', (value, faults) => {
    expect(faultsOf(value)).toEqual(faults)
  })

  test.each([
    ...['', 'a b', 'http://a.com', 'a.com/', 'a.com:', 'a.com:0', 'a.com:65536', 'a.com:000080', 'a.com:x', '*.*', '*a.com', 'a.*', '*.'],
    ...[
      '*.127.0.0.1',
      '*.[::1]',
      '*.1',
      '::1',
      '[::1',
      '[::1]]',
      '[fe80::1%25eth0]',
      'a..com',
      '.a.com',
      'a.com..',
      'u:p@a.com',
      'a.com\0'
    ],
    ...['a.com?b', '999.1.1.1', '\ud800.com']
  ])('do not have the host %j', (host) => {
    expect(faultsOf({ network: { hosts: [host] } })).toEqual([{ code: 'invalid', path: ['network', 'hosts', 0] }])
  })

  test.each([
    '',
    'a',
    './a',
    '../a',
    '/a/..',
    '/a/../b',
    '/./a',
    '/a\0',
    'C:/a',
    'C:\\a',
    'workspace:',
    'workspace:a',
    ':/a',
    'w w:/a',
    'file:///a/../b'
  ])('do not have the folder %j', (root) => {
    expect(faultsOf({ files: { write: [root] } })).toEqual([{ code: 'invalid', path: ['files', 'write', 0] }])
  })

  test('take nothing from a prototype', () => {
    expect(grantsOf(Object.create({ shell: 'allow', tools: 'all' }))).toStrictEqual(NO_GRANTS)
  })

  test('are told with everything that is wrong', () => {
    expect(faultsOf({ shell: 1, env: 1, network: { hosts: [1] }, x: 1 })).toHaveLength(4)
  })
})

describe('the identity of a tool', () => {
  test.each(['host:read_file', 'os:execute-terminal', 'agent:task_complete', 'mcp:git/list', 'mcp:git/a/b:c', 'mcp:é.1/ü', 'code'])(
    '%j is read and written',
    (text) => {
      const identity = parseToolIdentity(text)
      expect(identity && toToolIdentityText(identity)).toBe(text)
    }
  )

  test.each([
    ...[
      '',
      'read_file',
      'host:',
      'Host:read_file',
      'host:1a',
      'host:a b',
      'host:a/b',
      'host:réad',
      'host:а',
      ' host:a',
      'host:a\n',
      'code:x'
    ],
    ...['mcp:git', 'mcp:git/', 'mcp:/list', 'mcp:git/a b', 'mcp:git/a\u200b', 'mcp:git/\ud800', 'constructor', `host:${'a'.repeat(65)}`]
  ])('is not %j', (text) => {
    expect(parseToolIdentity(text)).toBeUndefined()
  })

  test('tells where the connection ends and the tool begins', () => {
    expect(parseToolIdentity('mcp:git/a/b')).toEqual({ kind: 'mcp', connection: 'git', tool: 'a/b' })
  })
})

describe('grants that a thread keeps', () => {
  const grants = grantsOf({ shell: 'approval', network: { hosts: ['a.com'] }, tools: ['host:x'] })
  const record = JSON.parse(JSON.stringify(toStoredGrants(grants))) as { capabilities: { [name: string]: unknown } }

  test('are read back', () => {
    expect(readStoredGrants(record)).toStrictEqual({ state: 'recorded', grants })
    expect(readStoredGrants(JSON.parse(JSON.stringify(toStoredGrants(ALL_GRANTS))))).toStrictEqual({
      state: 'recorded',
      grants: ALL_GRANTS
    })
  })

  test('are read back where they have more entries than anybody may write', () => {
    const ports = grantsOf({ network: { hosts: Array.from({ length: 100 }, (_, index) => `*:${index + 1}`), private: 'all' } })
    const names = grantsOf({ network: { hosts: Array.from({ length: 100 }, (_, index) => `h${index}.a.com`), private: 'all' } })
    const both = intersectGrants(ports, names)
    expect(both.network.hosts).toHaveLength(10_000)
    expect(both.network.private).toEqual(both.network.hosts)
    expect(intersectGrants(both, intersectGrants(names, both))).toStrictEqual(both)
    expect(readStoredGrants(JSON.parse(JSON.stringify(toStoredGrants(both))))).toStrictEqual({ state: 'recorded', grants: both })
  })

  test.each([null, {}])('were never recorded: %j', (value) => {
    expect(readStoredGrants(value)).toEqual({ state: 'unrecorded' })
  })

  test.each<readonly [string, unknown, string]>([
    ['no record', undefined, ''],
    ['a text', 'all', ''],
    ['a list', [], ''],
    ['the marker alone', { capabilitiesRecorded: true }, 'capabilities'],
    ['no entry', { capabilities: null, capabilitiesRecorded: true }, 'capabilities'],
    ['an empty entry', { capabilities: {}, capabilitiesRecorded: true }, 'capabilities.files'],
    ['no marker', { capabilities: grants }, 'capabilitiesRecorded'],
    ['a marker that is not true', { ...record, capabilitiesRecorded: false }, 'capabilitiesRecorded'],
    ['a marker that only looks true', { ...record, capabilitiesRecorded: 'true' }, 'capabilitiesRecorded'],
    ['a field that is not known', { ...record, bounds: {} }, 'bounds'],
    ['something else altogether', { tools: 'all' }, 'tools'],
    ['an entry with a field that is not known', { ...record, capabilities: { ...grants, extra: 1 } }, 'capabilities.extra'],
    ['an entry that is damaged', { ...record, capabilities: { ...grants, shell: 'alow' } }, 'capabilities.shell'],
    ['an entry inside an entry', { ...record, capabilities: record }, 'capabilities.capabilities']
  ])('are none with %s, and the error names it', (_, value, path) => {
    const read = readStoredGrants(value)
    expect(read).toMatchObject({
      state: 'unreadable',
      error: { code: 'grants_unreadable', details: { problems: [{ path }, ...rest(read)] } }
    })
    expect(read).not.toHaveProperty('grants')
  })

  const fields = Object.entries(grants).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value) ? [[name], ...Object.keys(value).map((inner) => [name, inner])] : [[name]]
  )
  test.each(fields)('are none without the field %s %s', (name, inner) => {
    const capabilities = structuredClone(record.capabilities)
    if (inner === undefined) delete capabilities[name]
    else delete (capabilities[name] as { [name: string]: unknown })[inner]
    const path = ['capabilities', name, ...(inner === undefined ? [] : [inner])].join('.')
    expect(readStoredGrants({ ...record, capabilities })).toMatchObject({
      state: 'unreadable',
      error: { code: 'grants_unreadable', details: { problems: [{ path }] } }
    })
  })
})

/** The problems after the first: a row names that one. */
function rest(read: ReturnType<typeof readStoredGrants>): readonly unknown[] {
  return read.state === 'unreadable' ? (read.error.details['problems'] as readonly unknown[]).slice(1) : []
}
