import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

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
  { what: 'setTimeout(() => { throw { toString() { throw 1 } } })', says: /^Nothing catches an error: / }
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
