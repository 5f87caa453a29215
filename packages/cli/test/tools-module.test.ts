import { describe, expect, test } from 'vitest'
import { folderWith, startHoldfast } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

/** A module as somebody writes it who has no package.json: only by its syntax Node knows that it is one of ECMAScript. */
const MODULE = `
process.emitWarning('look at me', { code: 'MINE' })
export const ping = {
  name: 'ping', description: 'Pings.', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'read', parallelSafe: true,
  execute: () => 'pong'
}`

describe('a tools module in a folder without a package', () => {
  test.each(['tools.ts', 'tools.js'])('is loaded as %s without a warning of Node, while its own are told', async (file) => {
    const folder = folderWith({ ...scriptedAgent([calling('ping'), { text: 'ok' }], { tools: ['ping'] }), [file]: MODULE })
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', file])
    expect(await running.ended).toBe(0)
    expect(running.stderr()).not.toContain('MODULE_TYPELESS_PACKAGE_JSON')
    expect(running.stderr()).toMatch(/\[MINE\].*look at me/)
  })
})
