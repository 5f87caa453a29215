import { describe, expect, test } from 'vitest'
import type { Runtime } from '../src/contracts/api.ts'
import type { Store } from '../src/contracts/store.ts'
import { digestJson, digestText } from '../src/util/canonical.ts'
import { answer, callPart, textPart } from './model/outcomes.ts'
import { RecordedThread } from './model/recorded-thread.ts'
import { recordingModel, runtimeFor } from './runtime-kit.ts'

type Fields = { [field: string]: unknown }
type Facts = { [field: string]: unknown }[]

/** A thread that waits, with a consumed start and a message that waits, too; `commits` are its third line to its last but two. */
function waiting(): RecordedThread {
  const thread = new RecordedThread().claim()
  thread.commit()
  thread.commit(...answer(thread.state, [callPart('look'), callPart('pay')], { verdicts: ['run', 'hold'] }))
  thread.message('while it waits')
  thread.commit()
  return thread
}

function ended(): RecordedThread {
  const thread = new RecordedThread().claim()
  thread.commit()
  thread.commit(...answer(thread.state, [textPart('done')]))
  return thread
}

function looking(): Runtime & { readonly store: Store } {
  return runtimeFor(
    recordingModel(() => ({ text: 'done' })),
    { concurrency: 0 }
  )
}

function recordsOf(text: string): Fields[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields)
}

function toText(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** The same export with something else in it; the digests of commits and items are made to fit. */
function forged(text: string, change: (records: Fields[]) => void): string {
  const records = recordsOf(text)
  change(records)
  for (const record of records) {
    if (record['type'] === 'commit') record['digest'] = digestText(JSON.stringify(record['facts']))
    if (record['type'] === 'item' && 'body' in record) record['digest'] = digestJson([record['kind'], '', record['body']])
  }
  return toText(records)
}

const facts = (record: Fields | undefined): Facts => (record?.['facts'] ?? []) as Facts
const commit = (records: Fields[], sequence: number): Fields => records[sequence + 1] ?? {}
const header = (records: Fields[]): Fields => records[0] ?? {}
const items = (records: Fields[]): Fields[] => records.filter((record) => record['type'] === 'item')
const find = (records: Fields[], type: string): Fields => records.flatMap(facts).find((fact) => fact['type'] === type) ?? {}

function set(fields: Fields, name: string, value: unknown): void {
  fields[name] = value
}

function unset(fields: Fields, name: string): void {
  delete fields[name]
}

async function refusalOf(text: string): Promise<unknown> {
  const runtime = looking()
  const refused = await runtime.import([text]).catch((error: unknown) => error)
  expect((await runtime.threads()).items).toEqual([])
  return refused
}

test('a forged export whose digests fit is taken when nothing of it is wrong', async () => {
  const runtime = looking()
  expect(await runtime.import([forged(waiting().export(), () => {})])).toMatchObject({ state: 'imported' })
})

test('an export may come in pieces of any size', async () => {
  const text = waiting().export()
  for (const size of [1, 7, 100, text.length]) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
    expect(await looking().import(pieces)).toMatchObject({ state: 'imported' })
  }
  expect(await looking().import([text.trimEnd()])).toMatchObject({ state: 'imported' })
})

describe('an import refuses, and names the line of,', () => {
  test.for([
    ['nothing', () => '', 1],
    ['what is no JSON', (text: string) => `${text.slice(0, 20)}\n`, 1],
    ['another kind of file', () => '{"some":"json"}\n', 1],
    ['a list', () => '[]\n', 1],
    ['a file that was cut at a line', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1), 7],
    ['a file that was cut inside a line', (text: string) => text.slice(0, -20), 7],
    ['two exports in one file', (text: string) => text + text, 8],
    ['an empty line', (text: string) => text.replace('\n', '\n\n'), 2],
    ['an unknown field', (text: string) => toText(recordsOf(text).map((record) => ({ ...record, more: 1 }))), 1],
    [
      'a value that is nested too deep',
      (text: string) => text.replace('"grants":{}', `"grants":${'['.repeat(1e5)}${']'.repeat(1e5)}`),
      undefined
    ]
  ] as const)('%s', async ([, change, line]) => {
    expect(await refusalOf(change(waiting().export()))).toMatchObject({
      code: 'invalid_input',
      details: line === undefined ? {} : { line }
    })
  })

  test.for<[string, number | undefined, (records: Fields[]) => void]>([
    ['an id that would leave its folder', 1, (records) => set(header(records), 'id', 'thr_../../x')],
    ['a fraction of an attempt', 1, (records) => set(header(records), 'attempt', 1.5)],
    ['a fact of an unknown type', 4, (records) => void facts(commit(records, 2)).push({ v: 1, type: 'grants.widened' })],
    ['a fact with a field that is not known', 4, (records) => set(find(records, 'run.started'), 'grants', 'all')],
    ['a fact without one of its fields', 4, (records) => unset(find(records, 'run.started'), 'by')],
    ['a fact with a field of another kind', 4, (records) => set(find(records, 'turn.started'), 'try', 'one')],
    ['a part that no message has', 4, (records) => set(find(records, 'message.received'), 'parts', { inline: [{ type: 'shell' }] })],
    ['a digest that is none', 3, (records) => set(find(records, 'thread.created'), 'publication', 'sha256:x')],
    ['a sender of an unknown kind', 6, (records) => set(items(records)[0] ?? {}, 'from', { kind: 'root', id: 'x' })],
    ['a time beyond all clocks', 4, (records) => set(commit(records, 2), 'at', 1e17)],
    ['two beginnings', undefined, (records) => void facts(commit(records, 2)).push(...facts(commit(records, 1)))],
    ['another root', undefined, (records) => set(find(records, 'thread.created'), 'root', 'thr_2')],
    ['a commit out of order', undefined, (records) => set(commit(records, 2), 'sequence', 3)],
    ['a commit of an older attempt', undefined, (records) => set(commit(records, 3), 'attempt', 0)],
    ['a commit before its predecessor', undefined, (records) => set(commit(records, 3), 'at', 1)],
    ['an attempt that the header does not know', undefined, (records) => set(header(records), 'attempt', 0)],
    ['a fact of a run that is not under way', undefined, (records) => set(find(records, 'turn.started'), 'run', 'run_9')],
    ['a run that starts twice', undefined, (records) => void facts(commit(records, 2)).push({ ...find(records, 'run.started') })],
    ['a wait of another thread', undefined, (records) => set(find(records, 'wait.opened'), 'wait', 'thr_2:x:approval:1')],
    ['an item that stands twice', undefined, (records) => set(items(records)[1] ?? {}, 'id', items(records)[0]?.['id'])],
    ['an item that no commit has taken', undefined, (records) => set(items(records)[0] ?? {}, 'takenIn', 3)],
    ['an item that is not there', undefined, (records) => set(find(records, 'message.received'), 'cause', 'never-sent')],
    [
      'a decision about no wait',
      undefined,
      (records) => {
        const message = items(records)[1] ?? {}
        const body = { wait: 'thr_1:x:approval:1', decision: 'approve' }
        Object.assign(message, { id: `decide:${body.wait}`, kind: 'decision', body, digest: digestJson({ kind: 'decision', body }) })
      }
    ],
    ['a message under the name of a decision', undefined, (records) => set(items(records)[1] ?? {}, 'id', 'decide:x')]
  ])('%s', async ([what, line, change]) => {
    let text = forged(waiting().export(), change)
    if (what === 'a decision about no wait') {
      // Its digest is made in another way than that of a message.
      const records = recordsOf(text)
      const [, message] = items(records)
      Object.assign(message ?? {}, { digest: digestJson({ kind: 'decision', body: message?.['body'] }) })
      text = toText(records)
    }
    expect(await refusalOf(text)).toMatchObject({ code: 'invalid_input', details: line === undefined ? {} : { line } })
  })
})

describe('an import refuses as damaged', () => {
  test.for<[string, number, (records: Fields[]) => void]>([
    ['a commit', 4, (records) => set(find(records, 'turn.started'), 'model', 'another')],
    ['a commit whose fields stand in another order', 4, (records) => void facts(commit(records, 2)).reverse()],
    ['the publication', 2, (records) => void Object.assign(records[1]?.['definition'] as Fields, { systemPrompt: 'Obey.' })],
    ['a message', 7, (records) => set(items(records)[1] ?? {}, 'body', { run: 'run_9', parts: [] })]
  ])('%s that its digest is not of', async ([, line, change]) => {
    const records = recordsOf(waiting().export())
    change(records)
    expect(await refusalOf(toText(records))).toMatchObject({ code: 'log_corrupt', details: { line } })
  })
})

test('an import refuses what a newer program has written', async () => {
  const [first, second] = [recordsOf(ended().export()), recordsOf(ended().export())]
  header(first)['format'] = 2
  commit(second, 2)['format'] = 2
  expect(await refusalOf(toText(first))).toMatchObject({ code: 'format_unknown', details: { line: 1, format: 2 } })
  expect(await refusalOf(toText(second))).toMatchObject({ code: 'format_unknown', details: { line: 4, format: 2 } })
})

test('an import passes on what its source throws', async () => {
  const broken = async function* (): AsyncGenerator<string> {
    yield waiting().export().slice(0, 100)
    throw new TypeError('not UTF-8')
  }
  await expect(looking().import(broken())).rejects.toBeInstanceOf(TypeError)
})
