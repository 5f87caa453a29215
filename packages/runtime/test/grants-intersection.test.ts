// I8: grants never widen.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CodeLanguage, Grants, GrantsInput } from '../src/contracts/grants.ts'
import { ALL_GRANTS, intersectGrants, NO_GRANTS, toNormalGrants } from '../src/grants/intersect-grants.ts'
import { parseGrants } from '../src/grants/parse-grants.ts'
import {
  allowsCode,
  allowsConnection,
  allowsDefinition,
  allowsEnv,
  allowsHost,
  allowsModel,
  allowsRead,
  allowsTool,
  allowsWrite
} from '../src/grants/permits.ts'
import type { Member } from './grants-kit.ts'
import { grantsOf, holds, MEMBERS, SHELLS, written } from './grants-kit.ts'
import { propertyShare } from './model/share.ts'

const share = { ...propertyShare(), numRuns: propertyShare().numRuns * 4 }

describe('the intersection of grants', () => {
  test('holds what both hold, and nothing else', { timeout: 300_000 }, () => {
    const tally = { both: 0, one: 0, none: 0 }
    fc.assert(
      fc.property(written, written, (a, b) => {
        const result = intersectGrants(grantsOf(a), grantsOf(b))
        for (const member of MEMBERS) {
          const [inA, inB] = [holds(a, member), holds(b, member)]
          tally[inA && inB ? 'both' : inA || inB ? 'one' : 'none'] += 1
          if (allows(result, member) !== (inA && inB)) expect.fail(`${JSON.stringify(member)}: ${inA} and ${inB}, but not so in the result`)
        }
      }),
      share
    )
    // Were the samples never in both or never in one alone, the property would say nothing.
    expect(Math.min(tally.both, tally.one, tally.none)).toBeGreaterThan(MEMBERS.length)
  })

  test('does not depend on order or nesting, and is the same again', () => {
    fc.assert(
      fc.property(written, written, written, (first, second, third) => {
        const [a, b, c] = [grantsOf(first), grantsOf(second), grantsOf(third)]
        expect(intersectGrants(b, a)).toStrictEqual(intersectGrants(a, b))
        expect(intersectGrants(a, intersectGrants(b, c))).toStrictEqual(intersectGrants(intersectGrants(a, b), c))
        expect(intersectGrants(a, a)).toStrictEqual(a)
        const both = intersectGrants(a, b)
        expect(intersectGrants(both, a)).toStrictEqual(both)
        expect(toNormalGrants(both)).toStrictEqual(both)
      }),
      share
    )
  })

  test('with everything is the other side, with nothing is nothing', () => {
    fc.assert(
      fc.property(written, (input) => {
        const grants = grantsOf(input)
        expect(intersectGrants(ALL_GRANTS, grants)).toStrictEqual(grants)
        expect(intersectGrants(grants, NO_GRANTS)).toStrictEqual({ ...NO_GRANTS })
      }),
      share
    )
  })

  test('of one that was narrowed is never larger', () => {
    fc.assert(
      fc.property(written, written, written, (host, parent, child) => {
        const [h, p, c] = [grantsOf(host), grantsOf(parent), grantsOf(child)]
        // B056: along a chain, and again at a resume under a host that is narrower now.
        const chain = intersectGrants(intersectGrants(h, p), c)
        const resumed = intersectGrants(chain, p)
        for (const member of MEMBERS) {
          if (allows(chain, member)) expect([holds(host, member), holds(parent, member), holds(child, member)]).toEqual([true, true, true])
          if (allows(resumed, member)) expect(allows(chain, member)).toBe(true)
        }
      }),
      { ...share, numRuns: Math.ceil(share.numRuns / 4) }
    )
  })
})

describe('the normal form', () => {
  test('is what is read back from it', () => {
    fc.assert(
      fc.property(written, (input) => {
        const grants = grantsOf(input)
        expect(parseGrants(JSON.parse(JSON.stringify(grants)))).toStrictEqual({ ok: true, value: grants })
      }),
      share
    )
  })

  test('does not depend on the order of entries, nor on how often they stand there', () => {
    fc.assert(
      fc.property(written, (input) => {
        const other = JSON.parse(JSON.stringify(input), (_, value: unknown) =>
          Array.isArray(value) ? [...value.toReversed(), ...value.slice(0, 2)] : value
        ) as GrantsInput
        expect(grantsOf(other)).toStrictEqual(grantsOf(input))
      }),
      share
    )
  })

  test.each<readonly [GrantsInput, GrantsInput]>([
    [{ network: { hosts: ['A.com.', 'a.com:443', 'b.A.com'] } }, { network: { hosts: ['b.a.com', 'a.com'] } }],
    [{ network: { hosts: ['*', '*.a.com', '[::1]:80'] } }, { network: { hosts: ['*'] } }],
    [{ network: { hosts: ['*:443', '*.a.com:443', 'a.com:0443'] } }, { network: { hosts: ['*:443'] } }],
    [{ network: { hosts: ['10.1:80'], private: 'all' } }, { network: { hosts: ['10.0.0.1:80'], private: ['10.0.0.1:80'] } }],
    [{ network: { hosts: ['a.com:80', '*'], private: true } }, { network: { hosts: ['*'], private: ['a.com:80'] } }],
    [{ network: { hosts: [], private: 'all' } }, {}],
    [{ files: { read: ['/a/b', '/a/', '//a', '/a/c'] } }, { files: { read: ['/a'] } }],
    [{ files: { read: ['w:/', 'w:/a', '/'] } }, { files: { read: ['/', 'w:/'] } }],
    [{ agents: { start: true, files: true, depth: 0 } }, { agents: { files: true, depth: 3 } }],
    [{ agents: { files: true } }, {}],
    [{ code: { languages: [], network: true } }, {}],
    [{ tools: ['os:b', 'os:a', 'os:b'] }, { tools: ['os:a', 'os:b'] }]
  ])('of %j is that of %j', (one, other) => {
    expect(grantsOf(one)).toStrictEqual(grantsOf(other))
  })
})

describe('two hosts', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['*.a.com', 'a.com', []],
    ['*.a.com', 'b.a.com:443', ['b.a.com:443']],
    ['*.a.com:443', 'b.a.com', ['b.a.com:443']],
    ['*.a.com', '*.b.a.com', ['*.b.a.com']],
    ['*.a.com', '*.xa.com', []],
    ['*.a.com', 'xa.com', []],
    ['*.com', 'a.com.', ['a.com']],
    ['*:443', '*.a.com', ['*.a.com:443']],
    ['*:443', '*.a.com:80', []],
    ['a.com:80', 'a.com:443', []],
    ['A.COM', 'a.com', ['a.com']],
    ['bücher.example', 'xn--bcher-kva.example', ['xn--bcher-kva.example']],
    ['*.bücher.example', 'shop.XN--BCHER-KVA.example:443', ['shop.xn--bcher-kva.example:443']],
    // A look-alike of another script is another name.
    ['аpple.com', 'apple.com', []],
    ['[::1]', '[0:0:0:0:0:0:0:1]:80', ['[::1]:80']],
    ['[::1]', '[::ffff:127.0.0.1]', []],
    ['127.0.0.1', '0x7f.1', ['127.0.0.1']],
    ['*', '[2001:DB8::1]:8443', ['[2001:db8::1]:8443']]
  ])('%s and %s are %j', (a, b, both) => {
    expect(intersectGrants(hostsOf(a), hostsOf(b)).network.hosts).toEqual(both)
    expect(intersectGrants(hostsOf(b), hostsOf(a)).network.hosts).toEqual(both)
  })

  test('give no private address that one of them does not give', () => {
    const every = grantsOf({ network: { hosts: ['*'], private: true } })
    const one = grantsOf({ network: { hosts: ['10.0.0.1:80', 'b.com:81'], private: true } })
    const two = grantsOf({ network: { hosts: ['10.0.0.1:80', '*'], private: true } })
    expect(intersectGrants(every, one).network).toEqual({ hosts: ['10.0.0.1:80', 'b.com:81'], private: [] })
    expect(intersectGrants(two, one).network).toEqual({ hosts: ['10.0.0.1:80', 'b.com:81'], private: ['10.0.0.1:80'] })
  })
})

describe('two folders', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['/a', '/ab', []],
    ['/a', '/a/b/', ['/a/b']],
    ['/', '/a', ['/a']],
    ['/', 'workspace:/a', []],
    ['/a', '/A', []],
    ['workspace:/sub', 'workspace:/subx', []],
    ['workspace:/sub', 'workspace:/sub/x', ['workspace:/sub/x']],
    ['workspace:/sub', '/sub', []],
    ['workspace:/', 'workspace:/sub', ['workspace:/sub']],
    // The same letter, composed and not: file systems tell them apart.
    ['/\u00e9', '/e\u0301', []]
  ])('%s and %s are %j', (a, b, both) => {
    const [one, other] = [a, b].map((path) => grantsOf({ files: { read: [path], write: [path] } })) as [Grants, Grants]
    expect(intersectGrants(one, other).files).toEqual({ read: both, write: both })
  })

  test('that are written say nothing about reading', () => {
    const grants = grantsOf({ files: { write: ['/a'] } })
    expect([allowsRead(grants, '/a/b'), allowsWrite(grants, '/a/b')]).toEqual([false, true])
  })
})

describe('what is asked for', () => {
  const grants = grantsOf({
    files: { read: ['/a', 'w:/s'] },
    network: { hosts: ['*.a.com', '[::1]:80'], private: true },
    tools: ['host:read_file', 'mcp:git/list']
  })

  test.each(['/ab', '/a/../b', '/a/./b', '/a/', '//a', '/a\0', 'a', '', '.', 'w:/sx', 'w:/', '/s', 'w:s'])(
    'as the path %j is not read',
    (path) => {
      expect(allowsRead(grants, path)).toBe(false)
    }
  )

  test.each(['/a', '/a/b', 'w:/s', 'w:/s/x/y', '/a/..b', '/a/b\\..\\c'])('as the path %j is read', (path) => {
    expect(allowsRead(grants, path)).toBe(true)
  })

  test.each(['a.com', 'xa.com', '.a.com', '*.a.com', 'b.a.com:443', 'b.a.com/', 'u@b.a.com', 'b.a.com#', 'b..a.com', 'b.a.com..', ''])(
    'as the host %j is not reached',
    (host) => {
      expect(allowsHost(grants, { host, port: 443 })).toBe(false)
    }
  )

  test.each(['b.a.com', 'B.A.COM', 'b.a.com.', 'bücher.a.com'])('as the host %j is reached', (host) => {
    expect(allowsHost(grants, { host, port: 443 })).toBe(true)
    expect(allowsHost(grants, { host, port: 443, isPrivate: true })).toBe(false)
  })

  test.each([0, -1, 65_536, 1.5, Number.NaN])('at the port %d is not reached', (port) => {
    expect(allowsHost(ALL_GRANTS, { host: 'a.com', port })).toBe(false)
  })

  test('at a private address is reached where host and port are named', () => {
    expect(allowsHost(grants, { host: '[0::1]', port: 80, isPrivate: true })).toBe(true)
    expect(allowsHost(grants, { host: '[::1]', port: 81, isPrivate: true })).toBe(false)
  })

  test.each([
    'read_file',
    'host:read-file',
    'host:Read_file',
    'host:reаd_file',
    'host:read_file ',
    'os:read_file',
    'git__list',
    'mcp:git2/list'
  ])('as the tool %j does not run', (identity) => {
    expect(allowsTool(grants, identity)).toBe(false)
  })

  test('as what is no identity does not run even where all tools are granted', () => {
    expect([allowsTool(ALL_GRANTS, 'read_file'), allowsTool(ALL_GRANTS, 'host:read_file')]).toEqual([false, true])
  })
})

function hostsOf(entry: string): Grants {
  return grantsOf({ network: { hosts: [entry] } })
}

/** What the code under test says of a member. */
function allows(grants: Grants, { kind, name, port = 0, more = false, depth = 0 }: Member): boolean {
  const named = {
    env: allowsEnv,
    tools: allowsTool,
    connections: allowsConnection,
    models: allowsModel,
    read: allowsRead,
    write: allowsWrite
  }
  switch (kind) {
    case 'host':
      return allowsHost(grants, { host: name, port, isPrivate: more })
    case 'shell':
      return SHELLS.indexOf(name) <= SHELLS.indexOf(grants.shell)
    case 'agent':
      return grants.agents.start && depth <= grants.agents.depth && (!more || grants.agents.files)
    case 'reach':
      return grants.agents.reach === name
    case 'code':
      return allowsCode(grants, name as CodeLanguage, { network: more })
    case 'definitions':
      return allowsDefinition({ ...grants, agents: ALL_GRANTS.agents }, name)
    default:
      return named[kind](grants, name)
  }
}
