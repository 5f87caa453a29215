import { join } from 'node:path'
import type { Store } from '@holdfast/runtime'
import { createRuntime, parseAgentManifest, sqliteStore } from '@holdfast/runtime'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, holdfast, startHoldfast } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

const ELSEWHERE = 'elsewhere:7:abc0'
const WAITING = new RegExp(`waiting for ${ELSEWHERE}`)

/** A thread that a worker of another machine has claimed, for a minute. */
async function ownedElsewhere(): Promise<{ readonly folder: string; readonly thread: string; readonly store: Store }> {
  const folder = folderWith(scriptedAgent([{ text: 'done' }]))
  const store = await sqliteStore(join(folder, '.holdfast/holdfast.db'))
  onTestFinished(() => store[Symbol.asyncDispose]())
  await using runtime = createRuntime({ store, concurrency: 0 })
  const { definition } = await parseAgentManifest(readFileSync(join(folder, 'agent.yaml'), 'utf8'), 'agent.yaml')
  const { thread } = await runtime.start(definition)
  await store.claim({ worker: ELSEWHERE, leaseMs: 60_000, max: 1, only: [thread], not: [], can: { format: 1, needs: [] } })
  return { folder, thread, store }
}

test('an owner on another machine that is silent to the end of its lease is replaced', async () => {
  const { folder, thread, store } = await ownedElsewhere()
  const resuming = startHoldfast(folder, ['resume', thread])
  await resuming.until(WAITING)
  // The lease is over: a minute need not pass for that.
  await store.beat(ELSEWHERE, 0, [thread])
  expect(await resuming.ended).toBe(0)
  expect(resuming.stdout()).toBe('done\n')
})

test('an owner on another machine that is heard of keeps the thread', async () => {
  const { folder, thread, store } = await ownedElsewhere()
  const resuming = startHoldfast(folder, ['resume', thread, '--json'])
  await resuming.until(WAITING)
  await store.beat(ELSEWHERE, 120_000, [thread])
  expect(await resuming.ended).toBe(6)
  expect(JSON.parse(resuming.stdout())).toMatchObject({ error: { code: 'thread_busy', details: { worker: ELSEWHERE } } })
})

test('waiting for an owner can be interrupted', async () => {
  const { folder, thread } = await ownedElsewhere()
  const resuming = startHoldfast(folder, ['resume', thread])
  await resuming.until(WAITING)
  resuming.child.kill('SIGINT')
  expect(await resuming.ended).toBe(130)
})

test('a thread that is owned elsewhere can be taken with --takeover', async () => {
  const { folder, thread } = await ownedElsewhere()
  expect(await holdfast(folder, ['resume', thread, '--takeover'])).toMatchObject({ code: 0, stdout: 'done\n' })
})
