// How long it takes from an approval until the held tool begins, in a thread of 50 turns on a file: decided in the process that drove it, and in another
// one, which drives nothing.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { Runtime } from '@holdfast/runtime'
import { createRuntime, defineAgent, defineTool, sqliteStore } from '@holdfast/runtime'
import { addTool } from './agent.ts'
import { median, print, round } from './figures.ts'
import { benchModel } from './model.ts'
import { newFile } from './store.ts'

const TURNS = 50
const REPEATS = 15

const USAGE = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
const HELD = [
  { type: 'stream-start', warnings: [] },
  { type: 'tool-call', toolCallId: 'held', toolName: 'held', input: '{}' },
  { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: USAGE }
]

/** What one process tells the other. */
interface Told {
  readonly wait: string
}

if (process.argv[2] === 'decide') await decideAsTold(process.argv[3] ?? '')
else await measure()

async function measure(): Promise<void> {
  const path = newFile('approve')
  const store = await sqliteStore(path)
  let begun = (_at: number): void => {}
  const held = defineTool({
    name: 'held',
    description: 'Is held.',
    input: { type: 'object' },
    effect: 'once',
    approval: true,
    execute: () => begun(performance.timeOrigin + performance.now())
  })
  const runtime = createRuntime({ store, tools: [addTool, held], models: { bench: heldModel() }, recover: true })
  const other = fork(process.argv[1] ?? '', ['decide', path], { stdio: 'inherit' })
  await once(other, 'message')
  const here: number[] = []
  const there: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const times of [here, there]) {
      const { wait, settled } = await makeHeld(runtime)
      const start = new Promise<number>((resolve) => {
        begun = resolve
      })
      const since = times === here ? await approve(runtime, wait) : await approveThere(other, wait)
      times.push((await start) - since)
      await settled()
    }
  }
  print({ measure: 'approve', turns: TURNS, hereMs: round(median(here), 2), thereMs: round(median(there), 2) })
  other.disconnect()
  await runtime.close()
  await store[Symbol.asyncDispose]()
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
}

/** Fifty turns of `add`, then a call that is held, then the final text. */
function heldModel() {
  const model = benchModel(TURNS)
  const last = benchModel(0)
  return {
    ...model,
    doStream: async (options: Parameters<typeof model.doStream>[0]) => {
      const answers = options.prompt.filter((message) => message.role === 'assistant').length
      if (answers > TURNS) return last.doStream(options)
      if (answers < TURNS) return model.doStream(options)
      return { stream: toStream(HELD) as never }
    }
  }
}

function toStream(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
  })
}

async function makeHeld(runtime: Runtime) {
  const agent = defineAgent({ name: 'bench', model: { ref: 'bench' }, tools: ['add', 'held'], limits: { maxTurns: TURNS + 10 } })
  const run = await runtime.start(agent, { input: 'go' })
  const { waits } = await run.settled()
  const wait = waits[0]?.id
  if (wait === undefined) throw new Error('expected the thread to wait')
  return { wait, settled: () => run.settled() }
}

async function approve(runtime: Runtime, wait: string): Promise<number> {
  const since = performance.timeOrigin + performance.now()
  const { state } = await runtime.approve(wait)
  if (state !== 'accepted') throw new Error(`expected the approval to be accepted, but it is ${state}`)
  return since
}

async function approveThere(other: ReturnType<typeof fork>, wait: string): Promise<number> {
  const answer = once(other, 'message')
  other.send({ wait } satisfies Told)
  const [since] = (await answer) as [number]
  return since
}

async function decideAsTold(path: string): Promise<void> {
  const store = await sqliteStore(path)
  const runtime = createRuntime({ store, concurrency: 0, principal: { kind: 'person', id: 'ann' } })
  process.on('message', (told: Told) => {
    void approve(runtime, told.wait).then((since) => process.send?.(since))
  })
  process.on('disconnect', () => {
    void runtime.close().then(() => process.exit(0))
  })
  process.send?.(0)
}
