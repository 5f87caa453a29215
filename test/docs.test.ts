import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

test('the reference is what the code gives', () => {
  const check = spawnSync(process.execPath, ['--conditions=@holdfast/source', 'scripts/docs.ts', '--check'], {
    cwd: ROOT,
    encoding: 'utf8'
  })
  expect(check.stderr).toBe('')
  expect(check.status).toBe(0)
})
