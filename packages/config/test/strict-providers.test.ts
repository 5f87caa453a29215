import { describe, expect, test } from 'vitest'
import { startStrictProvider } from './strict/strict-provider.ts'
import type { Wire } from './strict/strict-rule.ts'
import { brokenRules, STRICT_RULES, TAKEN_BODIES } from './strict/strict-rules.ts'

const WIRES = Object.keys(TAKEN_BODIES) as readonly Wire[]

async function post(wire: Wire, body: object): Promise<{ readonly status: number; readonly text: string }> {
  await using provider = await startStrictProvider(wire, () => ({ text: 'done' }))
  const response = await fetch(provider.url, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

describe.each(WIRES)('a strict fake of %s', (wire) => {
  const rules = STRICT_RULES.filter((each) => each.wire === wire)

  test.each(rules)('refuses a request where not: $rule', async ({ rule, body }) => {
    // One rule each: every row would be missed if its rule were taken out.
    expect(brokenRules(wire, JSON.parse(JSON.stringify(body)))).toEqual([rule])
    const { status, text } = await post(wire, body)
    expect(status).toBe(400)
    expect(text).toContain(rule)
  })

  test('takes a request that keeps to all of them', async () => {
    const { status, text } = await post(wire, TAKEN_BODIES[wire])
    expect(text).toContain('done')
    expect(status).toBe(200)
  })
})

/** The providers' own. */
const HOSTS: { readonly [wire in Wire]: string } = {
  'openai-chat': 'platform.openai.com',
  'openai-responses': 'platform.openai.com',
  anthropic: 'platform.claude.com',
  google: 'ai.google.dev'
}

test.each(STRICT_RULES)('$wire: "$rule" has a page of the provider, and where that does not state it, somebody who saw it', (row) => {
  const page = new URL(row.documentation)
  expect([page.protocol, page.host]).toEqual(['https:', HOSTS[row.wire]])
  expect(page.pathname.length).toBeGreaterThan(1)
  if (row.seen === undefined) return
  expect(new URL(row.seen)).toMatchObject({ protocol: 'https:' })
  expect(new URL(row.seen).host).not.toBe(page.host)
})

test('no two rules have one name', () => {
  const names = STRICT_RULES.map(({ wire, rule }) => `${wire}: ${rule}`)
  expect(new Set(names).size).toBe(names.length)
})
