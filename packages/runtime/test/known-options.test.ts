import { expect, test } from 'vitest'
import {
  answeringModel,
  consoleSink,
  createRuntime,
  defineAgent,
  definePlugin,
  defineTool,
  fileArtifacts,
  jsonlRecords,
  jsonlSink,
  memoryStore,
  scriptedModel,
  sqliteStore
} from '../src/index.ts'
import { fileTools } from '../src/tools/file-tools.ts'
import { folder } from './runtime-kit.ts'

const store = memoryStore()
const runtime = createRuntime({ store, models: { main: answeringModel(() => ({ text: 'done' })) } })
const agent = defineAgent({ name: 'a', model: { ref: 'main' }, prompt: 'go' })
const started = runtime.start(agent)
const handleOf = async () => runtime.thread((await started).thread)

/** What everybody who has no compiler may write. */
const wrong = { wrong: 1 }
const TOOL = { name: 'pay', description: 'Pays.', input: { type: 'object' }, execute: () => 'paid' } as const

test.each<[string, (options: never) => unknown]>([
  ['createRuntime', (options: object) => createRuntime({ store, ...options })],
  ['close', (options: object) => createRuntime({ store }).close(options)],
  ['start', (options: object) => runtime.start(agent, options)],
  ['fork', async (options: object) => runtime.fork((await started).thread, options)],
  ['threads', (options: object) => runtime.threads(options)],
  ['waits', (options: object) => runtime.waits(options)],
  ['approve', (options: object) => runtime.approve('wait', options)],
  ['deny', (options: object) => runtime.deny('wait', options)],
  ['message', async (options: object) => (await handleOf()).message('hello', options)],
  ['events', async (options: object) => (await handleOf()).events(options)],
  ['settled', async (options: object) => (await handleOf()).settled(options)],
  ['log', async (options: object) => (await handleOf()).log(1, 1, options)],
  ['cancel', async (options: object) => (await handleOf()).cancel(options)],
  ['receipt', async (options: object) => (await handleOf()).receipt('start', options)],
  ['resume', async (options: object) => (await handleOf()).resume(options)],
  ['prompt', async (options: object) => (await handleOf()).prompt(1, options)],
  ['remove', async (options: object) => (await handleOf()).remove(options)],
  ['sqliteStore', async (options: object) => sqliteStore(`${await folder()}/a.db`, options)],
  ['memoryStore', (options: object) => memoryStore(options)],
  ['scriptedModel', (options: object) => scriptedModel({ turns: [{ text: 'a' }] }, options)],
  ['answeringModel', (options: object) => answeringModel(() => ({ text: 'a' }), options)],
  ['consoleSink', (options: object) => consoleSink(() => undefined, options)],
  ['jsonlSink', (options: object) => jsonlSink('/nowhere/a', options)],
  ['jsonlRecords', (options: object) => jsonlRecords('/nowhere/a', options)],
  ['fileArtifacts', (options: object) => fileArtifacts('/nowhere', options)],
  ['fileTools', (options: object) => fileTools(options)],
  ['defineTool', (options: object) => defineTool({ ...TOOL, ...options })],
  ['definePlugin', (options: object) => definePlugin({ name: 'p', bounds: {}, create: () => ({}), ...options })]
])('%s refuses an option that it does not have, and names those that it has', async (name, call) => {
  const called = async (options: object) => call(options as never)
  await expect(called(wrong)).rejects.toMatchObject({
    code: name === 'defineTool' ? 'invalid_tools' : 'invalid_input',
    message: expect.stringMatching(new RegExp(`^${name} has no option "wrong"; its options are \\w+`)),
    details: { option: 'wrong' }
  })
  // What is not given is not there.
  await called({ wrong: undefined })
})

test.each([null, 'fast', 12])('options that are none are refused: %j', async (options) => {
  await expect(sqliteStore(`${await folder()}/a.db`, options as never)).rejects.toMatchObject({ code: 'invalid_input' })
  await expect(runtime.start(agent, options as never)).rejects.toMatchObject({ code: 'invalid_input' })
})

test.each([':memory:', '', 'file:a.db', undefined])('what is no path of a file is refused: %j', async (path) => {
  await expect(sqliteStore(path as never)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('memoryStore()')
  })
})

test('a durability that is none is refused', async () => {
  const path = `${await folder()}/a.db`
  await expect(sqliteStore(path, { durability: 'full' as never })).rejects.toMatchObject({
    code: 'invalid_input',
    details: { option: 'durability' }
  })
})
