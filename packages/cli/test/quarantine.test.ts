// A run whose process died: it is set aside, and a person says what becomes of it.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqliteStore } from '@holdfast/runtime'
import { fakeClock } from '@holdfast/runtime/testing'
import { folderWith, holdfast } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'
import { documentOf } from './waits-kit.ts'

const HOUR_MS = 3_600_000

/** A project with a run that is set aside: its one owner died an hour ago, and no more than that may. */
async function setAside(): Promise<{ readonly folder: string; readonly thread: string }> {
  const folder = folderWith({
    ...scriptedAgent([{ text: 'done' }]),
    'holdfast.config.yaml': JSON.stringify({ version: '1.0', engine: { crashBudget: 1 } })
  })
  const { thread } = await documentOf<{ thread: string }>(folder, ['run', 'agent.yaml', 'go', '--detach'])
  {
    await using store = await sqliteStore(join(folder, '.holdfast/holdfast.db'), { clock: fakeClock({ now: Date.now() - HOUR_MS }) })
    const can = { format: 1_000, needs: [] }
    expect(await store.claim({ worker: 'gone', leaseMs: 1_000, max: 1, only: [thread], not: [], can, takeover: false })).toHaveLength(1)
  }
  expect((await holdfast(folder, ['resume', thread])).code).toBe(3)
  return { folder, thread }
}

describe('holdfast quarantine', () => {
  test('has the run tried again', async () => {
    const { folder } = await setAside()
    expect(await documentOf(folder, ['quarantine', 'retry', '--note', 'more memory'])).toMatchObject({
      exit: 0,
      decisions: [{ state: 'accepted' }]
    })
  })

  test('gives the run up, by the id of its thread', async () => {
    const { folder, thread } = await setAside()
    expect(await documentOf(folder, ['quarantine', thread, 'give-up', '--note', 'never again'])).toMatchObject({
      exit: 1,
      decisions: [{ state: 'accepted' }],
      error: { code: 'quarantined' }
    })
  })

  test('wants one of the two words, and a run that was set aside', async () => {
    const { folder, thread } = await setAside()
    for (const argv of [[], [thread], ['approve'], [thread, 'again']]) {
      expect(await documentOf(folder, ['quarantine', ...argv])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    }
    expect(await documentOf(folder, ['quarantine', thread, 'give-upp'])).toMatchObject({ error: { details: { nearMiss: 'give-up' } } })
    expect((await holdfast(folder, ['quarantine', 'retry'])).code).toBe(0)
    expect(await documentOf(folder, ['quarantine', 'retry'])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
  })
})
