import { describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../src/http/guarded-fetch.ts'
import { resolving, serve } from './http-kit.ts'
import { refusalOf } from './refusal.ts'

/** Whether a policy reaches a server on loopback that two names lead to. */
async function reaches(host: string, toPolicy: (port: number) => { hosts: string[]; private?: boolean | 'all' | string[] }) {
  const server = await serve((_request, response) => response.end('here'))
  const resolver = resolving({ 'a.test': ['127.0.0.1'], 'b.test': ['127.0.0.1'], 'meta.test': ['169.254.169.254'] })
  const fetch = createGuardedFetch({ network: toPolicy(server.port), resolver })
  const url = `http://${host}:${server.port}/`
  try {
    return (await fetch({ url })).status === 200
  } catch {
    expect(server.connections).toEqual([])
    return false
  }
}

// B072
describe('private addresses', () => {
  test.each([
    ['a place that is listed', 'a.test', (port: number) => ({ hosts: ['*'], private: [`a.test:${port}`] }), true],
    ['no other place than those listed', 'b.test', (port: number) => ({ hosts: ['*'], private: [`a.test:${port}`] }), false],
    ['no other port than those listed', 'a.test', (port: number) => ({ hosts: ['*', `a.test:${port}`], private: ['a.test:1'] }), false],
    ['no place that hosts do not cover', 'a.test', (port: number) => ({ hosts: ['b.test'], private: [`a.test:${port}`] }), false],
    ['all that hosts cover', 'a.test', () => ({ hosts: ['*.test'], private: 'all' as const }), true],
    ['nothing with an empty list', 'a.test', (port: number) => ({ hosts: [`a.test:${port}`], private: [] }), false],
    ['no metadata service, although all are opened', 'meta.test', () => ({ hosts: ['*'], private: 'all' as const }), false]
  ])('are opened for %s', async (_, host, toPolicy, expected) => {
    expect(await reaches(host, toPolicy)).toBe(expected)
  })

  test.each(['*', 'a.test', '*.test:80', 'a.test:', 'a.test:0', ''])('are opened for no entry that is not one place: %j', async (entry) => {
    const network = { hosts: ['*'], private: ['a.test:80', entry] }
    const { details } = await refusalOf('invalid_input', () => createGuardedFetch({ network }))
    expect(details).toEqual({ field: 'network.private', index: 1 })
  })
})
