import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A turn of a script, as the file of a scripted model has it. */
export interface Turn {
  readonly text?: string
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: unknown }[]
  readonly finish?: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
  readonly delayMs?: number
  readonly error?: { readonly message?: string; readonly status?: number; readonly retryAfter?: number }
  readonly when?: string
}

/** The files of an agent with a scripted model: `agent.yaml`, `script.yaml`, and tools when it has some. */
export function scriptedAgent(
  turns: readonly Turn[],
  more: { readonly [field: string]: unknown } = {}
): { readonly [path: string]: string } {
  const agent = { schemaVersion: '1.0', name: 'tester', model: { provider: 'scripted', model: './script.yaml' }, prompt: 'Do it.', ...more }
  // JSON is YAML.
  return { 'agent.yaml': JSON.stringify(agent), 'script.yaml': JSON.stringify({ turns }), 'tools.mjs': TOOLS }
}

/** A turn that calls one tool. */
export function calling(name: string, args: unknown = {}): Turn {
  return { toolCalls: [{ name, arguments: args }] }
}

/** Lets the calls of `gate` in a folder end. */
export function openGate(folder: string): void {
  writeFileSync(join(folder, GATE), '')
}

const GATE = 'gate-is-open'

/** Tools that need no package, so that they run in any folder. Each notes its calls in `ledger.txt`. */
const TOOLS = `
import { appendFileSync, readFileSync, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const folder = import.meta.dirname
const note = (name, key) => appendFileSync(folder + '/ledger.txt', name + ' ' + key + '\\n')
const object = (properties) => ({ kind: 'json', jsonSchema: { type: 'object', properties } })

/** Once: never started a second time. */
export const stamp = {
  name: 'stamp', description: 'Stamps.', input: object({}), effect: 'once', parallelSafe: true,
  execute: (_, { idempotencyKey }) => { note('stamp', idempotencyKey); return 'stamped' }
}

/** Idempotent, and slow after its effect. */
export const pay = {
  name: 'pay', description: 'Pays.', input: object({ ms: { type: 'number' } }), effect: 'idempotent', parallelSafe: true,
  execute: async ({ ms }, { idempotencyKey, signal }) => {
    const path = folder + '/ledger.txt'
    if (existsSync(path) && readFileSync(path, 'utf8').includes('pay ' + idempotencyKey)) return 'paid before'
    note('pay', idempotencyKey)
    await sleep(ms ?? 0, undefined, { signal })
    return 'paid'
  }
}

/** Ends when a test opens it. */
export const gate = {
  name: 'gate', description: 'Waits.', input: object({}), effect: 'read', parallelSafe: true,
  execute: async (_, { signal }) => {
    while (!existsSync(folder + '/${GATE}')) await sleep(5, undefined, { signal })
    return 'opened'
  }
}

/** Says whatever it is given. */
export const echo = {
  name: 'echo', description: 'Echoes.', input: object({ text: { type: 'string' } }), effect: 'read', parallelSafe: true,
  execute: ({ text }, { progress }) => { progress('echoing ' + text); return text }
}

export const notATool = 42
export default [{ name: 'fail', description: 'Fails.', input: object({}), effect: 'read', parallelSafe: true, execute: () => { throw new Error('no luck') } }]
`
