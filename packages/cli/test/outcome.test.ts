// Waits that are no approvals: what became of a lost call, a result that a tool waits for, a question that nobody wants to answer.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRuntime, defineTool, parseAgentManifest, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { fakeClock } from '@holdfast/runtime/testing'
import { folderWith, holdfast, linesOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'
import { atTerminal } from './terminal-kit.ts'
import { documentOf, project, waitOf, waitsOf } from './waits-kit.ts'

const HOUR_MS = 3_600_000

const TOOLS = `
import { appendFileSync } from 'node:fs'
const SUSPENSION = Symbol.for('holdfast.suspension')
const input = { kind: 'json', jsonSchema: { type: 'object' } }
export const ship = {
  name: 'ship', description: 'Ships.', input, effect: 'once', onUnknown: 'ask', parallelSafe: true,
  execute: (_, { idempotencyKey }) => {
    appendFileSync(import.meta.dirname + '/ledger.txt', idempotencyKey + '\\n')
    return 'shipped'
  }
}
export const scan = {
  name: 'scan', description: 'Scans.', input, effect: 'once', parallelSafe: true,
  execute: (_, { resumed }) => resumed
    ? { got: resumed.answer }
    : { [SUSPENSION]: true, wait: { kind: 'external', subject: { job: 'j1' }, schema: { type: 'object', required: ['pages'] } }, state: 1 }
}
`
const CONFIG = JSON.stringify({ version: '1.0', tools: ['./tools.mjs'] })
const filesOf = (tool: string, turns = [calling(tool, { order: 7 }), { text: 'done' }]) => ({
  ...scriptedAgent(turns, { tools: [tool] }),
  'tools.mjs': TOOLS,
  'holdfast.config.yaml': CONFIG
})

/** A project with a call that was started an hour ago, by a process that is gone; a person is asked about it. */
async function lost(): Promise<{ readonly folder: string; readonly thread: string; readonly key: string }> {
  const folder = folderWith(filesOf('ship'))
  mkdirSync(join(folder, '.holdfast'))
  await using store = await sqliteStore(join(folder, '.holdfast/holdfast.db'), { clock: fakeClock({ now: Date.now() - HOUR_MS }) })
  const started = Promise.withResolvers<string>()
  const ship = defineTool({
    name: 'ship',
    description: 'Ships.',
    input: { type: 'object' },
    effect: 'once',
    onUnknown: 'ask',
    execute: (_, { idempotencyKey }) => {
      started.resolve(idempotencyKey)
      return new Promise(() => {})
    }
  })
  const { definition } = await parseAgentManifest(readFileSync(join(folder, 'agent.yaml'), 'utf8'), 'agent.yaml')
  const model = scriptedModel({ turns: [{ toolCalls: [{ name: 'ship', arguments: { order: 7 } }] }] })
  const runtime = createRuntime({ store, tools: [ship], models: () => model })
  const { thread } = await runtime.start(definition, { input: 'go' })
  const key = await started.promise
  await runtime.close({ graceMs: 0 })
  expect((await holdfast(folder, ['resume', thread])).code).toBe(3)
  return { folder, thread, key }
}

const resultsOf = async (folder: string, thread: string): Promise<readonly unknown[]> => {
  const shown = await documentOf<{ transcript: readonly { outcome?: string; result?: unknown }[] }>(folder, ['show', thread])
  return shown.transcript.flatMap(({ outcome, result }) => (outcome === undefined ? [] : [[outcome, result]]))
}

describe('holdfast outcome', () => {
  test.each([
    [['happened', '--result', '{"parcel":3}', '--note', 'seen'], ['ok', { value: { parcel: 3 } }], 0],
    [['happened', '--result', 'parcel 3'], ['ok', { value: 'parcel 3' }], 0],
    [['not-happened'], ['ok', { value: 'shipped' }], 1],
    [['unknown'], ['unknown', { error: expect.stringContaining('not known') }], 0]
  ])('says what became of the only lost call, and the run goes on: %j', async (argv, result, starts) => {
    const { folder, thread, key } = await lost()
    expect(await documentOf(folder, ['outcome', ...argv])).toMatchObject({
      exit: 0,
      status: 'completed',
      text: 'done',
      decisions: [{ state: 'accepted' }]
    })
    expect(await resultsOf(folder, thread)).toEqual([result])
    // It runs again under the key of the call that was lost.
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual(starts === 0 ? [] : [key])
  })

  test('takes the wait by its id, leaves the thread to others on request, and says the same twice', async () => {
    const { folder, thread } = await lost()
    const wait = await waitOf(folder, 'ship')
    expect(await documentOf(folder, ['outcome', wait, 'unknown', '--detach'])).toMatchObject({
      exit: 0,
      decisions: [{ wait, state: 'accepted' }]
    })
    expect(await documentOf(folder, ['outcome', wait, 'unknown', '--detach'])).toMatchObject({ decisions: [{ state: 'repeated' }] })
    expect(await documentOf(folder, ['outcome', wait, 'happened', '--detach'])).toMatchObject({
      exit: 2,
      decisions: [{ state: 'conflict' }]
    })
    expect((await holdfast(folder, ['resume', thread])).code).toBe(0)
  })

  test('refuses what is no word, and a result of what did not happen', async () => {
    const { folder } = await lost()
    for (const argv of [[], ['maybe'], ['approve'], ['not-happened', '--result', '1'], ['unknown', '--result', '1']]) {
      expect(await documentOf(folder, ['outcome', ...argv])).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    }
    expect(await documentOf(folder, ['outcome', 'happend'])).toMatchObject({ error: { details: { nearMiss: 'happened' } } })
    for (const argv of [['approve'], ['deny'], ['answer', 'happened']]) {
      expect(await documentOf(folder, argv)).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    }
    expect(await waitsOf(folder)).toHaveLength(1)
  })

  test('is named wherever the wait is shown, with what somebody can look by', async () => {
    const { folder, thread, key } = await lost()
    const line = `holdfast outcome ${await waitOf(folder, 'ship')} WORD\n`
    const { stdout } = await holdfast(folder, ['waits'])
    expect(stdout).toContain(line)
    expect(stdout).toContain(key)
    expect((await holdfast(folder, ['show', thread])).stdout).toContain(line)
    expect((await holdfast(folder, ['threads'])).stderr).toContain('holdfast waits')
    const { next } = await documentOf<{ readonly next: readonly string[] }>(folder, ['explain', thread])
    expect(next.map((each) => /outcome \S+ (\S+)/.exec(each)?.[1])).toEqual(['happened', 'not-happened', 'unknown'])
  })

  test.each([
    ['h\r', /not known\) > $/, '{"parcel":3}\r', ['ok', { value: { parcel: 3 } }]],
    ['u\r', undefined, '', ['unknown', { error: expect.any(String) }]],
    ['n\r', undefined, '', ['ok', { value: 'shipped' }]]
  ])('has its keys at a terminal: %j', async (key, prompt, more, result) => {
    const { folder, thread } = await lost()
    const run = atTerminal(folder, ['resume', thread])
    await run.until(/\? help > $/)
    for (const nothing of ['\r', 'a\r', 'd\r', 'y\r']) {
      run.type(nothing)
      await run.until(/\? help > $/)
    }
    run.type(key)
    if (prompt !== undefined) await run.until(prompt)
    run.type(more)
    expect(await run.ended).toBe(0)
    expect(await resultsOf(folder, thread)).toEqual([result])
  })
})

describe('a result that a tool waits for', () => {
  async function waiting() {
    const folder = folderWith(filesOf('scan'))
    const told = await holdfast(folder, ['run', 'agent.yaml'])
    expect(told.code).toBe(3)
    const wait = await waitOf(folder, 'scan')
    expect(told.stderr).toContain(`holdfast answer ${wait} RESULT\n`)
    return { folder, wait, thread: wait.slice(0, wait.indexOf(':')) }
  }

  test('is given with holdfast answer, and must fit the schema', async () => {
    const { folder, wait, thread } = await waiting()
    for (const given of ['{"sheets":7}', 'seven', '7']) {
      expect(await documentOf(folder, ['answer', wait, given])).toMatchObject({ exit: 2, decisions: [{ state: 'invalid' }] })
    }
    expect(await documentOf(folder, ['answer', '{"pages":7}'])).toMatchObject({ exit: 0, text: 'done' })
    expect(await resultsOf(folder, thread)).toEqual([['ok', { value: { got: { pages: 7 } } }]])
  })

  test('is refused with holdfast deny, and the agent reads why', async () => {
    const { folder, thread } = await waiting()
    expect(await documentOf(folder, ['deny', '--reason', 'the scanner is broken'])).toMatchObject({ exit: 0, text: 'done' })
    expect(await resultsOf(folder, thread)).toEqual([
      ['denied', { error: 'Not completed. A person refused this call: the scanner is broken' }]
    ])
  })

  test('is asked of nobody at a terminal', async () => {
    const folder = folderWith(filesOf('scan'))
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    expect(await run.ended).toBe(3)
    expect(run.screen()).not.toMatch(/> $/)
  })
})

describe('a question that nobody wants to answer', () => {
  const ASK = { name: 'ask_user', arguments: { question: 'Which one?', options: ['red', 'blue'] } }
  const DENIED = [['denied', { error: 'A person declined to answer this question: ask Bob' }]]

  test('is declined with holdfast deny, and the agent reads that a person said so', async () => {
    const folder = project([ASK])
    await holdfast(folder, ['run', 'agent.yaml'])
    const wait = await waitOf(folder)
    expect(await documentOf(folder, ['deny', '--reason', 'ask Bob'])).toMatchObject({ exit: 0, decisions: [{ wait, state: 'accepted' }] })
    expect(await resultsOf(folder, wait.slice(0, wait.indexOf(':')))).toEqual(DENIED)
  })

  test('is not what is refused where a call is held as well', async () => {
    const folder = project([ASK, { name: 'stamp', arguments: {} }])
    await holdfast(folder, ['run', 'agent.yaml'])
    expect(await documentOf(folder, ['deny'])).toMatchObject({ exit: 3, decisions: [{ wait: expect.stringContaining(':approval:') }] })
    expect((await waitsOf(folder)).map(({ kind }) => kind)).toEqual(['question'])
  })

  test('is declined at a terminal', async () => {
    const folder = project([ASK])
    const run = atTerminal(folder, ['run', 'agent.yaml'])
    await run.until(/none\) > $/)
    run.type('/decline\r')
    await run.until(/no reason\) > $/)
    run.type('ask Bob\r')
    expect(await run.ended).toBe(0)
    expect(await resultsOf(folder, /thr_\w+/.exec(run.screen())?.[0] ?? '')).toEqual(DENIED)
  })
})
