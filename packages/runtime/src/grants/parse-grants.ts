import type { Grants } from '../contracts/grants.ts'
import type { Checked, ShapeFault } from '../contracts/shape-fault.ts'
import { HOST_PATTERNS } from '../util/host-pattern.ts'
import type { Place, Reader } from './field-reader.ts'
import { allOr, listOf, noteInvalid, orElse, placeIn, readFields, readFlag, textOf, wordOf } from './field-reader.ts'
import { isOnePlace, normalNetwork, toCanonicalEntry } from './host-set.ts'
import { AGENT_REACHES, CODE_LANGUAGES, SHELL_GRANTS, toNormalGrants } from './intersect-grants.ts'
import { ROOTS, toCanonicalRoot } from './root-set.ts'
import { parseToolIdentity, TOOL_IDENTITIES, toToolIdentityText } from './tool-identity.ts'

/**
 * Reads grants as somebody wrote them, `GrantsInput`: gives them in normal form, or everything that is wrong with them. A field that is left out grants
 * nothing; one that is not known, or an entry that cannot be read, is a fault, and then nothing is granted.
 */
export function parseGrants(value: unknown): Checked<Grants> {
  return read(value, false)
}

/** Reads grants that were made by intersections: their lists have no bound. */
export function parseMadeGrants(value: unknown): Checked<Grants> {
  return read(value, true)
}

function read(value: unknown, isMade: boolean): Checked<Grants> {
  const faults: ShapeFault[] = []
  const grants = readGrants(value, { path: [], faults, isMade })
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: toNormalGrants(grants) }
}

/** Two lists of hosts may intersect to as many entries as their lengths multiply to. */
const MAX_HOSTS = 100
const NAME = 'a name that is not empty, without control characters'
const VARIABLE = 'the name of an environment variable'
const PLACE = '"example.com:8080", a host with a port that `hosts` holds'

const roots = orElse(allOr(textOf(toCanonicalRoot, ROOTS)), [])
const hosts = orElse(listOf(textOf(toCanonicalEntry, HOST_PATTERNS), { max: MAX_HOSTS }), [])
const places = allOr(textOf(toCanonicalPlace, PLACE))
const variables = orElse(allOr(textOf((text) => (/^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(text) ? text : undefined), VARIABLE)), [])
const tools = orElse(allOr(textOf(toCanonicalIdentity, TOOL_IDENTITIES)), [])
const names = orElse(allOr(textOf((text) => (/^[^\s\p{C}](?:[^\p{C}]{0,254}[^\s\p{C}])?$/u.test(text) ? text : undefined), NAME)), [])
const shell = orElse(wordOf(SHELL_GRANTS), 'none')
const reach = orElse(wordOf(AGENT_REACHES), 'descendants')
const flag = orElse(readFlag, false)
const languages = orElse(listOf(wordOf(CODE_LANGUAGES)), [])

const readGrants = fieldsOf<Grants>({
  files: fieldsOf<Grants['files']>({ read: roots, write: roots }),
  shell,
  network: readNetwork,
  env: variables,
  tools,
  connections: names,
  definitions: names,
  agents: readAgents,
  models: names,
  code: fieldsOf<Grants['code']>({ languages, network: flag })
})

/** A reader of an object, from the readers of its fields. An object that is left out is an empty one. */
function fieldsOf<T extends object>(readers: { readonly [Field in keyof T]-?: Reader<T[Field]> }): Reader<T> {
  const entries = Object.entries<Reader<unknown>>(readers)
  const known = Object.keys(readers)
  return (value, place) => {
    const field = readFields(value === undefined && place.path.length > 0 ? {} : value, place, known)
    return Object.fromEntries(entries.map(([name, reader]) => [name, reader(field(name), placeIn(place, name))])) as T
  }
}

function readNetwork(value: unknown, place: Place): Grants['network'] {
  const field = readFields(value === undefined ? {} : value, place, ['hosts', 'private'])
  const entries = hosts(field('hosts'), placeIn(place, 'hosts'))
  return { hosts: entries, private: readPrivate(field('private'), placeIn(place, 'private'), entries) }
}

function readPrivate(value: unknown, place: Place, entries: readonly string[]): Grants['network']['private'] {
  if (value === undefined || value === false) return []
  if (value === true) return entries.filter(isOnePlace)
  if (value !== 'all' && !Array.isArray(value)) {
    noteInvalid(value, place, 'true, false, all or a list of hosts with ports')
    return []
  }
  const before = place.faults.length
  const found = places(value, place)
  if (found === 'all' || place.faults.length > before) return found
  const held = new Set(normalNetwork({ hosts: entries, private: found }).private)
  for (const [index, entry] of found.entries()) if (!held.has(entry)) noteInvalid(entry, placeIn(place, index), PLACE)
  return found
}

function readAgents(value: unknown, place: Place): Grants['agents'] {
  const field = readFields(value === undefined ? {} : value, place, ['start', 'files', 'depth', 'reach'])
  const start = flag(field('start'), placeIn(place, 'start'))
  const depth = start ? readDepth(field('depth'), placeIn(place, 'depth')) : orElse(readDepth, 0)(field('depth'), placeIn(place, 'depth'))
  return { start, depth, files: flag(field('files'), placeIn(place, 'files')), reach: reach(field('reach'), placeIn(place, 'reach')) }
}

/** How deep must be said by whoever lets agents start agents. */
function readDepth(value: unknown, place: Place): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  noteInvalid(value, place, 'a whole number from 0 on')
  return 0
}

function toCanonicalIdentity(text: string): string | undefined {
  const identity = parseToolIdentity(text)
  return identity && toToolIdentityText(identity)
}

function toCanonicalPlace(text: string): string | undefined {
  const entry = toCanonicalEntry(text)
  return entry !== undefined && isOnePlace(entry) ? entry : undefined
}
