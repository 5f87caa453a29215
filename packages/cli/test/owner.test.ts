import { spawnSync } from 'node:child_process'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { lifeOf } from '../src/owner.ts'

test('knows of the processes of this host whether they live, and of no others', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid
  const here = hostname()
  expect(await lifeOf(`${here}:${process.ppid}:abc0`)).toBe('alive')
  expect(await lifeOf(`${here}:${gone}:abc0`)).toBe('dead')
  // Where numbers come again, as for the first process of a container, an owner with ours is our predecessor.
  expect(await lifeOf(`${here}:${process.pid}:abc0`)).toBe('dead')
  expect(await lifeOf(`elsewhere:${gone}:abc0`)).toBe('unknown')
  for (const worker of ['', 'w1', `${here}:0:a`, `${here}:-1:a`, `${here}:99999999999999999999:a`])
    expect(await lifeOf(worker)).toBe('unknown')
})
