import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pointInTime } from '../src/point-in-time.ts'
import { addFiles, folderWith, holdfast, threadOf } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

interface Told {
  readonly items: readonly {
    readonly thread?: string
    readonly run?: string
    readonly usage: { readonly inputTokens: number }
    readonly cost: unknown
  }[]
  readonly total: { readonly [key: string]: unknown }
}

const turn = (text: string, inputTokens: number, outputTokens: number) => ({ text, usage: { inputTokens, outputTokens } })

async function usage(folder: string, ...argv: readonly string[]): Promise<Told> {
  return JSON.parse((await holdfast(folder, ['usage', ...argv, '--json'])).stdout) as Told
}

describe('holdfast usage', () => {
  test('tells tokens and cost of every thread, the latest first, and the total of all', async () => {
    const folder = folderWith(scriptedAgent([turn('one', 10, 1), turn('two', 20, 2)]))
    const first = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const second = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    await holdfast(folder, ['message', second, 'more'])
    const told = await usage(folder)
    expect(told.items.map((item) => [item.thread, item.usage, item.cost])).toEqual([
      [second, { inputTokens: 30, outputTokens: 3 }, 0],
      [first, { inputTokens: 10, outputTokens: 1 }, 0]
    ])
    expect(told.total).toEqual({ threads: 2, usage: { inputTokens: 40, outputTokens: 4 }, cost: 0, knownCost: 0, unknown: 0 })
    const limited = await usage(folder, '--limit', '1')
    expect([limited.items.length, limited.total]).toEqual([1, told.total])
    const { stdout } = await holdfast(folder, ['usage'])
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('2 threads: 40 tokens in, 4 out, $0')
  })

  test('tells what one thread has used by its runs', async () => {
    const folder = folderWith(scriptedAgent([turn('one', 10, 1), turn('two', 20, 2)]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    await holdfast(folder, ['message', thread, 'more'])
    const told = await usage(folder, thread)
    expect(told.items.map((item) => item.usage.inputTokens)).toEqual([10, 20])
    expect(told.total).toMatchObject({ runs: 2, usage: { inputTokens: 30, outputTokens: 3 } })
    expect((await holdfast(folder, ['usage', 'thr_none'])).code).toBe(2)
  })

  test('says that a cost is unknown, never that it is nothing', async () => {
    // A profile whose price is not known: the provider's own model would be called, so only the rows are made.
    const folder = folderWith(scriptedAgent([turn('one', 10, 1)]))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const exported = (await holdfast(folder, ['export', thread])).stdout
    const { digestText } = await import('../../runtime/src/util/canonical.ts')
    const records = exported
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; id?: string; facts?: { type: string; cost?: unknown }[]; digest?: string })
    for (const record of records) {
      for (const fact of record.facts ?? []) if (fact.type === 'model.responded') fact.cost = 'unknown'
      if (record.facts) record.digest = digestText(JSON.stringify(record.facts))
    }
    const other = folderWith()
    writeFileSync(join(other, 'x.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    expect((await holdfast(other, ['import', 'x.jsonl'])).code).toBe(0)
    addFiles(other, scriptedAgent([turn('known', 1, 1)]))
    await holdfast(other, ['run', 'agent.yaml'])
    expect((await usage(other)).total).toMatchObject({ threads: 2, cost: 'unknown', knownCost: 0, unknown: 1 })
    expect((await holdfast(other, ['usage'])).stdout).toMatch(/cost unknown\n(?:.*\n)*.*at least \$0, the cost of 1 thread is unknown\n$/)
    expect((await usage(other, thread)).total).toMatchObject({ runs: 1, cost: 'unknown', unknown: 1 })
  })

  test('counts only what was used since a point in time', async () => {
    const folder = folderWith(scriptedAgent([turn('one', 10, 1), turn('two', 20, 2), turn('three', 40, 4)]))
    const old = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    await holdfast(folder, ['message', thread, 'more'])
    await new Promise((resolve) => setTimeout(resolve, 20))
    const since = new Date().toISOString()
    await holdfast(folder, ['message', thread, 'and more'])
    const told = await usage(folder, '--since', since)
    expect(told.items.map((item) => [item.thread, item.usage.inputTokens])).toEqual([[thread, 40]])
    expect(told.total).toMatchObject({ threads: 1, usage: { inputTokens: 40, outputTokens: 4 } })
    expect((await usage(folder, thread, '--since', since)).items.map((item) => item.usage.inputTokens)).toEqual([40])
    expect((await usage(folder, '--since', '1h')).total).toMatchObject({ threads: 2, usage: { inputTokens: 80, outputTokens: 8 } })
    expect((await usage(folder, old, '--since', since)).items).toEqual([])
  })

  test.for([['yesterday'], ['2026-13-01'], ['5'], ['2026-01-01T00:00+01'], ['']])('refuses the time %j', async ([time]) => {
    const folder = folderWith()
    expect((await holdfast(folder, ['usage', '--since', time ?? ''])).code).toBe(2)
  })

  test('reads times as UTC where they name no zone', () => {
    const now = Date.UTC(2026, 10, 30)
    expect(
      ['2026-11-30', '2026-11-30T08:00', '2026-11-30 08:00:30', '2026-11-30T08:00+02:00', '2h', '1.5d'].map(
        (text) => pointInTime(text, now) - now
      )
    ).toEqual([0, 28_800_000, 28_830_000, 21_600_000, -7_200_000, -129_600_000])
  })
})
