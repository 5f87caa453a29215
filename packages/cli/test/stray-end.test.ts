import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { StrayEnd } from '../src/command-io.ts'
import { runCommand } from '../src/program.ts'
import { toStrayExit, toStrayThrow } from '../src/stray-end.ts'
import { addFiles, folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'
import { project, waitOf } from './waits-kit.ts'

/** Tools of a careless author, each in a line of its own. */
const CARELESS = `const tool = (execute) => ({ name: 'act', description: 'Acts.', effect: 'read', parallelSafe: true, input: { kind: 'json', jsonSchema: { type: 'object' } }, execute })
const never = () => new Promise(() => undefined)
export const act = tool(() => { BODY; return never() })
`

function carelessFolder(body: string): string {
  const folder = folderWith(scriptedAgent([calling('act'), { text: 'the answer' }], { tools: ['act'] }))
  addFiles(folder, { 'tools.mjs': CARELESS.replace('BODY', body) })
  return folder
}

const RUN = ['run', 'agent.yaml', '--tools', 'tools.mjs']

// B114
describe.each([
  { what: 'process.exit(0)', says: /^process\.exit was called before the command was done \(.*tools\.mjs:3:\d+\)\.$/ },
  { what: 'process.exit(3)', says: /^process\.exit was called/ },
  { what: "setTimeout(() => { throw new Error('fell over') })", says: /^Nothing catches an error: fell over \(.*tools\.mjs:3:\d+\)\.$/ },
  { what: "void Promise.reject(new Error('fell over'))", says: /^Nothing catches an error: fell over \(.*tools\.mjs:3:\d+\)\.$/ },
  { what: 'setTimeout(() => { throw { toString() { throw 1 } } })', says: /^Nothing catches an error: / },
  {
    what: 'class Odd extends Error { get message() { throw 1 } get stack() { throw 1 } }; setTimeout(() => { throw new Odd() })',
    says: /^Nothing catches an error: it has a message that cannot be read\.$/
  }
])('a tool that does $what', ({ what, says }) => {
  test('ends the command as a failure, which names it and how the thread goes on', async () => {
    const folder = carelessFolder(what)
    const running = startHoldfast(folder, RUN)
    expect(await running.ended).toBe(1)
    expect(running.stdout()).toBe('')
    const thread = threadOf(running.stderr())
    const [, said = ''] = /^error\[process_ended\]: (.*)$/m.exec(running.stderr()) ?? []
    expect(said).toMatch(says)
    expect(running.stderr()).toContain(`Go on with: holdfast resume ${thread}`)
    expect(running.stderr().includes('    at ')).toBe(what.includes('Error('))
    expect((await holdfast(folder, ['log', thread, '--jsonl'])).stdout).toContain('"call.started"')
  })

  test('leaves one document of JSON', async () => {
    const running = startHoldfast(carelessFolder(what), [...RUN, '--json'])
    expect(await running.ended).toBe(1)
    expect(JSON.parse(running.stdout())).toMatchObject({
      error: {
        code: 'process_ended',
        message: expect.stringMatching(says),
        details: { resume: `holdfast resume ${threadOf(running.stderr())}` }
      }
    })
  })
})

// B114
test('a tools module that ends the process when it is loaded is named, and nothing looks done', async () => {
  const folder = carelessFolder('')
  addFiles(folder, { 'tools.mjs': '\nprocess.exit(0)\n' })
  const running = startHoldfast(folder, [...RUN, '--json'])
  expect(await running.ended).toBe(1)
  expect(JSON.parse(running.stdout())).toMatchObject({
    error: { code: 'process_ended', details: { file: `${folder}/tools.mjs`, line: 2 } }
  })
})

// B114
test('a tools module that never comes to its end is named after a while', async () => {
  const folder = carelessFolder('')
  addFiles(folder, { 'tools.mjs': 'await new Promise(() => undefined)\n' })
  const running = startHoldfast(folder, RUN)
  expect(await running.until(/^still loading .*tools\.mjs: .*$/m)).toContain(folder)
  running.child.kill('SIGINT')
  expect(await running.ended).toBe(130)
})

// B114
test.each(['process.exit(0)', "setTimeout(() => { throw new Error('late') })"])(
  'what %s ends behind the result stays the result',
  async (what) => {
    const folder = folderWith(scriptedAgent([calling('echo'), { text: 'the answer' }], { tools: ['echo'] }))
    let tell: ((end: StrayEnd) => number) | undefined
    const [stdout, stderr] = [recorder(), recorder()]
    const io = {
      stdin: Readable.from([]),
      stdout,
      stderr,
      env: {},
      cwd: folder,
      setStrayEnd: (told: NonNullable<typeof tell>) => {
        tell = told
      }
    }
    expect(await runCommand([...RUN, '--json'], io)).toBe(0)
    expect(tell?.(what.startsWith('process') ? toStrayExit() : toStrayThrow(new Error('late')))).toBe(0)
    expect(JSON.parse(stdout.said())).toMatchObject({ status: 'completed', text: 'the answer' })
    expect(stderr.said()).toContain('error[process_ended]')
    expect(stderr.said()).not.toContain('Go on with')
  }
)

describe('a decision whose tools module', () => {
  async function waiting(
    module: string
  ): Promise<{ readonly folder: string; readonly thread: string; readonly approve: readonly string[] }> {
    const folder = project([{ name: 'stamp', arguments: {} }])
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    const approve = ['approve', await waitOf(folder, 'stamp')]
    addFiles(folder, { 'tools.mjs': module })
    return { folder, thread, approve }
  }
  const decisions = [{ state: 'accepted', recorded: { decision: 'approve' } }]

  test('ends the process is told with how it ended', async () => {
    const { folder, thread, approve } = await waiting('process.exit(0)\n')
    const running = startHoldfast(folder, [...approve, '--json'])
    expect(await running.ended).toBe(1)
    expect(JSON.parse(running.stdout())).toMatchObject({
      error: { code: 'process_ended', details: { decisions, resume: `holdfast resume ${thread}` } }
    })
  })

  test.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 }
  ] as const)('never comes to its end is let go by $signal, and holds', async ({ signal, code }) => {
    const { folder, thread, approve } = await waiting('await new Promise(() => undefined)\n')
    const running = startHoldfast(folder, [...approve, '--json'])
    await running.until(/^Decided: /m)
    running.child.kill(signal)
    expect(await running.ended).toBe(code)
    expect(JSON.parse(running.stdout())).toEqual({
      decisions: [expect.objectContaining(decisions[0])],
      interrupted: signal,
      resume: `holdfast resume ${thread}`
    })
    expect(running.stderr()).toContain(`It is decided, and nobody drives the thread. Go on with: holdfast resume ${thread}`)
  })
})

function recorder(): { write(text: string): void; said(): string } {
  let all = ''
  return {
    write: (text) => {
      all += text
    },
    said: () => all
  }
}
