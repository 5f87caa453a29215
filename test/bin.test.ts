import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const BIN = fileURLToPath(new URL('../packages/cli/bin/holdfast.js', import.meta.url))

test('an older Node gets a message that names both versions, and exit code 2', () => {
  const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})"
  const result = spawnSync(process.execPath, ['--import', old, BIN, '--help'], { encoding: 'utf8' })
  expect(result.status).toBe(2)
  expect(result.stdout).toBe('')
  expect(result.stderr).toContain('20.19.0')
  expect(result.stderr).toContain('24')
})
