import { expect, test } from 'vitest'
import { loadIsOwn } from '../src/owner.ts'
import { folderWith, holdfast } from './command-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

/** As whom this process has driven a thread. */
async function ownWorker(): Promise<string> {
  const { stdout } = await holdfast(folderWith(scriptedAgent([{ text: 'ok' }])), ['run', 'agent.yaml', '--jsonl'])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return events.find((event) => event.type === 'attempt.claimed').data.worker
}

test('knows the workers of this process, under every name that it took', async () => {
  const isOwn = await loadIsOwn()
  const worker = await ownWorker()
  const ofOther = worker.replace(`:${process.pid}:`, `:${process.ppid}:`)
  expect([worker, worker.replace(/\w+$/, 'another0'), ofOther, `elsewhere${worker}`, 'w1'].map(isOwn)).toEqual([
    true,
    true,
    false,
    false,
    false
  ])
})

// The first process of every container has the same number.
test.skipIf(process.platform !== 'linux')('takes no worker of another machine for its own that has its name and its number', async () => {
  const isOwn = await loadIsOwn()
  const worker = await ownWorker()
  const [head, start, tail] = worker.split('-').slice(-3)
  expect([head, start, tail]).toEqual([expect.stringMatching(/:[0-9a-f]{8}$/), expect.stringMatching(/^\d+$/), expect.any(String)])
  expect(isOwn(worker.replace(/[0-9a-f]{8}(?=-\d+-\w+$)/, '00000000'))).toBe(false)
  expect(isOwn(worker.replace(/\d+(?=-\w+$)/, '1'))).toBe(false)
})
