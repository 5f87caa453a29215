import { describe, expect, test } from 'vitest'
import { createSecretRegistry } from '../src/secrets.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { digestBytes, digestText } from '../src/util/canonical.ts'
import { converse, get, readAll, talkative } from './large-bodies-kit.ts'
import { runtimeFor } from './runtime-kit.ts'

type Fields = { [name: string]: unknown }

async function exported(): Promise<Fields[]> {
  const runtime = runtimeFor(talkative(), { tools: [get] })
  const lines = await readAll((await converse(runtime)).export())
  return lines.map((line) => JSON.parse(line))
}

const isArtifact = (record: Fields): boolean => record['type'] === 'artifact'

/** Another body in place of the first one of a fact's field, with digests that are right. */
function replaceArtifact(records: Fields[], bytes: Uint8Array): void {
  const at = records.findIndex(isArtifact)
  const old = records[at]?.['digest']
  const digest = digestBytes(bytes)
  records[at] = { type: 'artifact', digest, bytes: bytes.length, data: Buffer.from(bytes).toString('base64') }
  for (const record of records.filter((each) => each['type'] === 'commit')) {
    const text = JSON.stringify(record['facts'])
    const [, length] = new RegExp(`"artifact":"${old}","bytes":(\\d+)`).exec(text) ?? []
    if (length === undefined) continue
    const changed = text.replaceAll(`"artifact":"${old}","bytes":${length}`, `"artifact":"${digest}","bytes":${bytes.length}`)
    record['facts'] = JSON.parse(changed)
    record['digest'] = digestText(changed)
  }
}

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

describe('an import of large bodies', () => {
  test.each<[string, string, (records: Fields[]) => void]>([
    ['of which one was changed', 'log_corrupt', (records) => Object.assign(records.find(isArtifact) ?? {}, { data: 'AAAA', bytes: 3 })],
    ['of which one is missing', 'invalid_input', (records) => void records.splice(records.findIndex(isArtifact), 1)],
    [
      'of which one is given twice',
      'invalid_input',
      (records) => void records.splice(records.findIndex(isArtifact), 0, records.find(isArtifact) ?? {})
    ],
    [
      'of which one is named by no commit',
      'invalid_input',
      (records) => {
        const bytes = json('nobody')
        const data = Buffer.from(bytes).toString('base64')
        records.splice(records.findIndex(isArtifact), 0, { type: 'artifact', digest: digestBytes(bytes), bytes: bytes.length, data })
      }
    ],
    ['of which one is no JSON', 'invalid_input', (records) => replaceArtifact(records, new TextEncoder().encode('{"half'))],
    ['of which one is no text', 'invalid_input', (records) => replaceArtifact(records, new Uint8Array([0xff, 0xfe]))]
  ])('%s is refused, and nothing is kept', async (_, code, change) => {
    const records = await exported()
    change(records)
    const store = memoryStore()
    const lines = records.map((record) => `${JSON.stringify(record)}\n`)
    await expect(runtimeFor(talkative(), { store }).import(lines)).rejects.toMatchObject({ code })
    expect((await store.threads({ tenant: 'default' })).items).toEqual([])
    expect((await store.artifacts.list({ tenant: 'default' })).items).toEqual([])
  })

  test('of which a message has another shape is refused', async () => {
    const records = await exported()
    // The first is the variable, which may be anything.
    const variable = records.findIndex(isArtifact)
    const [first] = records.splice(variable, 1)
    replaceArtifact(records, json({ not: 'parts' }))
    records.splice(variable, 0, first ?? {})
    const lines = records.map((record) => `${JSON.stringify(record)}\n`)
    await expect(runtimeFor(talkative()).import(lines)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('that hold a secret is refused', async () => {
    const lines = (await exported()).map((record) => `${JSON.stringify(record)}\n`)
    const secrets = createSecretRegistry()
    secrets.add('KEY', 'rrrrrrrrrrrrrrrr')
    const runtime = runtimeFor(talkative(), { secrets })
    await expect(runtime.import(lines)).rejects.toMatchObject({ code: 'invalid_input', details: { secrets: ['KEY'] } })
    expect((await runtime.artifacts.list()).items).toEqual([])
  })
})
