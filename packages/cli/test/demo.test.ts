import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../../examples/invoices/', import.meta.url))

test('the demo is killed in the middle, goes on in another process, and shows that nothing was repeated', () => {
  const before = readdirSync(FOLDER, { recursive: true })
  const { OPENAI_API_KEY: _, ANTHROPIC_API_KEY: __, GOOGLE_GENERATIVE_AI_API_KEY: ___, HOLDFAST_DEMO_MODEL: ____, ...env } = process.env
  const demo = spawnSync(process.execPath, ['--conditions=@holdfast/source', `${FOLDER}demo.ts`], {
    encoding: 'utf8',
    timeout: 150_000,
    env
  })
  expect({ status: demo.status, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' })
  const pids = new Set([...demo.stdout.matchAll(/process (\d+)/g)].map(([, pid]) => pid))
  expect(demo.stdout).toContain('SIGKILL')
  expect(demo.stdout).toContain('write_report started (try 2)')
  expect(demo.stdout).toContain('INV-1003')
  expect(demo.stdout).not.toContain('REPEATED')
  expect(pids.size).toBe(1)
  expect(readdirSync(FOLDER, { recursive: true })).toEqual(before)
})
