import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FORMAT } from '../../packages/runtime/src/contracts/fact.ts'
import { FACT_NOTES } from './fact-notes.ts'
import { assertCovers, toCode, toPage, toTable } from './markdown.ts'
import type { Field } from './type-text.ts'
import { readAlias, readFields, readMembers } from './type-text.ts'

const GROUPS = {
  ThreadFact: 'The thread',
  RunFact: 'Runs',
  MessageFact: 'Messages',
  TurnFact: 'Turns',
  CallFact: 'Calls and waits',
  HookFact: 'Hooks',
  PluginFact: 'Plugins',
  LaterFact: 'Other',
  TreeFact: 'Threads that start and watch each other'
}

const INTRODUCTION = `A thread's log is a list of commits, each an atomic batch of facts, of format ${FORMAT}. \`thread.log()\`, \`holdfast log THREAD --facts\` and
\`holdfast export\` give them. Types are written as in TypeScript; \`?\` marks what may be absent. In an event read from \`thread.events()\` the fields stand
in \`data\`, and \`type\`, \`at\`, \`thread\`, \`run\`, \`scope\` and \`cursor\` beside it.

A fact marked *reserved* is part of the format, and nothing in this version writes it.`

const SHOWN_TYPES = [
  'Effect',
  'CallOutcome',
  'RunEnd',
  'RunStatus',
  'WaitKind',
  'ModelFailure',
  'ClaimReason',
  'Fault',
  'OutputCheck'
] as const

type Named = { readonly type: string; readonly fields: readonly Field[] }

/** Every fact and every event with its fields. */
export function factsPage(root: string): string {
  const contracts = join(root, 'packages/runtime/src/contracts')
  const facts = ['fact.ts', 'message-fact.ts', 'hook-fact.ts', 'plugin-fact.ts', 'tree-fact.ts', 'fault.ts', 'output-check.ts']
    .map((file) => readFileSync(join(contracts, file), 'utf8'))
    .join('\n')
  const events = readFileSync(join(contracts, 'event.ts'), 'utf8')
  const messages = readFileSync(join(contracts, 'message.ts'), 'utf8')
  const groups = Object.entries(GROUPS).map(([alias, title]) => ({ title, members: readMembers(readAlias(facts, alias)).flatMap(toNamed) }))
  const [, ...transient] = readMembers(readAlias(events, 'TransientEvent'))
  const live = [...transient.flatMap(toNamed), ...toNamed(readFields(bodyOf(events, 'interface SettledEvent')))]
  const all = [...groups.flatMap(({ members }) => members), ...live]
  assertCovers(
    'notes of facts',
    FACT_NOTES,
    all.map(({ type }) => type)
  )
  const written = writtenTypes(root)
  const sections = groups.flatMap(({ title, members }) => [
    `## ${title}`,
    ...members.map((fact) => toSection(fact, !written.has(fact.type)))
  ])
  return toPage('Facts and events', [
    INTRODUCTION,
    ...['## Every fact', toFields(readFields(bodyOf(facts, 'type Fact')))],
    ...sections,
    '## Events that are not kept',
    'Shown while it happens, by the process that drives, and in no log. All but `run.settled` have `thread` and `attempt`, too. None has `cursor` and `at`: there is no place and no time to find it again, and whoever needs one takes the time at which it came.',
    ...live.map((event) => toSection(event, false)),
    '## Types',
    `\`\`\`ts\n${[...SHOWN_TYPES.map((name) => toType(facts, name)), ...['Body', 'CallResult'].map((name) => toType(messages, name))].join('\n')}\n\`\`\``
  ])
}

function toNamed(fields: readonly Field[]): readonly Named[] {
  const [type, ...others] = fields
  if (type?.name !== 'type') throw new Error('a fact begins with its type')
  return type.type.split(' | ').map((name) => ({ type: name.slice(1, -1), fields: others }))
}

function toSection({ type, fields }: Named, isReserved: boolean): string {
  const note = FACT_NOTES[type as keyof typeof FACT_NOTES]
  const head = `### \`${type}\`\n\n${note}${isReserved ? ' *Reserved.*' : ''}`
  return fields.length === 0 ? head : `${head}\n\n${toFields(fields)}`
}

function toFields(fields: readonly Field[]): string {
  const hasNotes = fields.some(({ note }) => note !== '')
  return toTable(
    ['field', 'type', ...(hasNotes ? [''] : [])],
    fields.map(({ name, optional, type, note }) => [
      `\`${name}\`${optional ? '?' : ''}`,
      toCode(type.replaceAll(/\s+/g, ' ')),
      ...(hasNotes ? [note] : [])
    ])
  )
}

function toType(source: string, name: string): string {
  const parameters = new RegExp(`type ${name}(<[^>]*>)`).exec(source)?.[1] ?? ''
  return `type ${name}${parameters} = ${readAlias(source, name)
    .replace(/^\| /, '')
    .replaceAll(/\s*\n\s*/g, ' ')}`
}

function bodyOf(source: string, head: string): string {
  const start = source.indexOf('{', source.indexOf(`export ${head} `))
  return source.slice(start + 1, source.indexOf('\n}', start))
}

/** The types that the sources make, apart from where they are declared, checked and read. */
function writtenTypes(root: string): ReadonlySet<string> {
  const files = globSync('packages/runtime/src/**/*.ts', { cwd: root }).filter(
    (path) => !/\/src\/(?:contracts|transfer|testing)\//.test(path)
  )
  const found = files.flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/type: '([a-z]+\.[a-zA-Z]+)'/g)])
  return new Set(found.map(([, type]) => type ?? ''))
}
