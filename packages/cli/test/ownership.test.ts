import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@holdfast/runtime'
import { createRuntime, parseAgentManifest, sqliteStore } from '@holdfast/runtime'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, holdfast } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const ELSEWHERE = 'elsewhere:7:abc0'

/** A thread that a worker of another machine has claimed. */
async function ownedElsewhere(leaseMs: number): Promise<{ readonly folder: string; readonly thread: string; readonly store: Store }> {
  const folder = folderWith(scriptedAgent([{ text: 'done' }]))
  const store = await sqliteStore(join(folder, '.holdfast/holdfast.db'))
  onTestFinished(() => store[Symbol.asyncDispose]())
  await using runtime = createRuntime({ store, concurrency: 0 })
  const { definition } = await parseAgentManifest(readFileSync(join(folder, 'agent.yaml'), 'utf8'), 'agent.yaml')
  const { thread } = await runtime.start(definition)
  await store.claim({ worker: ELSEWHERE, leaseMs, max: 1, only: [thread], not: [], can: { format: 1, needs: [] } })
  return { folder, thread, store }
}

test('an owner on another machine that is silent to the end of its lease is replaced', async () => {
  const { folder, thread } = await ownedElsewhere(1_000)
  const told = await holdfast(folder, ['resume', thread])
  expect(told).toMatchObject({ code: 0, stdout: 'done\n', stderr: expect.stringContaining(ELSEWHERE) })
})

test('an owner on another machine that is heard of keeps the thread', async () => {
  const { folder, thread, store } = await ownedElsewhere(1_500)
  const resuming = holdfast(folder, ['resume', thread, '--json'])
  await sleep(500)
  await store.beat(ELSEWHERE, 20_000, [thread])
  const told = await resuming
  expect(told.code).toBe(6)
  expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'thread_busy', details: { worker: ELSEWHERE } } })
})

test('waiting for an owner can be interrupted', async () => {
  const { folder, thread } = await ownedElsewhere(60_000)
  const stop = new AbortController()
  const resuming = holdfast(folder, ['resume', thread], { signal: stop.signal })
  await sleep(500)
  stop.abort('SIGINT')
  expect((await resuming).code).toBe(130)
})

test('a thread that is owned elsewhere can be taken with --takeover', async () => {
  const { folder, thread } = await ownedElsewhere(60_000)
  expect(await holdfast(folder, ['resume', thread, '--takeover'])).toMatchObject({ code: 0, stdout: 'done\n' })
})
