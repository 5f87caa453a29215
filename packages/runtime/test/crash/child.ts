// One process of the crash tests: a runtime over a SQLite file that does as it is told and says what happens, a line of JSON each.
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Effect } from '../../src/contracts/fact.ts'
import { isHoldfastError } from '../../src/contracts/errors.ts'
import type { ThreadInfo } from '../../src/contracts/store.ts'
import type { Tool, ToolContext } from '../../src/contracts/tool.ts'
import { defineTool } from '../../src/define-tool.ts'
import type { ScriptTurn } from '../../src/models/script-turn.ts'
import { answeringModel } from '../../src/models/scripted-model.ts'
import { createRuntime } from '../../src/runtime.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'

/** What a child is told. */
export interface ChildOptions {
  /** The store's file. */
  readonly path: string
  /** The file to which tools append what they do. */
  readonly world: string
  readonly leaseMs?: number
  /** Drive whatever is ready. */
  readonly recover?: boolean
  readonly crashBudget?: number
  /** What `charge` and `step` declare. Default `once`. */
  readonly effect?: Effect
  /** Threads to start: the kind is the first message, the key is the idempotency key. */
  readonly start?: readonly { readonly kind: string; readonly key: string }[]
  /** Threads to resume, by id; `go`: only after that line on the standard input. */
  readonly resume?: { readonly threads: readonly string[]; readonly takeover?: boolean; readonly go?: boolean }
  /** Kill this process: in the tool `charge` behind its effect, in the model's stream, or when the commit of this sequence is announced. */
  readonly die?: 'charge' | 'stream' | { readonly sequence: number }
}

const options: ChildOptions = JSON.parse(process.argv[2] ?? '{}')
const heard = new Set<string>()
const listeners = new Set<() => void>()

function say(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Resolves when this line has come in. */
async function hears(line: string): Promise<void> {
  while (!heard.has(line)) await new Promise<void>((resolve) => listeners.add(resolve))
}

/** Appends a line to the world, on the disk before it returns. */
function act(name: string, context: ToolContext): void {
  const file = openSync(options.world, 'a')
  writeSync(file, `${JSON.stringify({ name, key: context.idempotencyKey, call: context.call, try: context.try, pid: process.pid })}\n`)
  fsyncSync(file)
  closeSync(file)
}

function tool(name: string, effect: Effect, execute: (context: ToolContext) => unknown): Tool<never> {
  return defineTool({ name, description: name, input: { type: 'object' }, effect, execute: (_, context) => execute(context) })
}

async function untilSiblingSettled({ thread, call }: ToolContext): Promise<void> {
  const isSettled = async () =>
    (await runtime.thread(thread).log()).some(({ facts }) => facts.some((fact) => fact.type === 'call.settled' && fact.call !== call))
  while (!(await isSettled())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Whoever dies takes others along: here each of them has had a result before. */
async function untilOthersGotOn({ thread }: ToolContext): Promise<void> {
  const hasGotOn = async ({ id, attempt, row }: ThreadInfo) =>
    id === thread ||
    row.status === 'completed' ||
    (await runtime.thread(id).log()).some(
      (commit) => commit.attempt === attempt && commit.facts.some((fact) => fact.type === 'call.settled')
    )
  for (;;) {
    const { items } = await runtime.threads()
    if ((await Promise.all(items.map(hasGotOn))).every(Boolean)) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const effect = options.effect ?? 'once'
const tools = [
  tool('note', effect, (context) => act('note', context)),
  tool('step', effect, async (context) => {
    act('step', context)
    await new Promise((resolve) => setTimeout(resolve, 150))
  }),
  tool('charge', effect, async (context) => {
    await untilSiblingSettled(context)
    act('charge', context)
    if (options.die === 'charge') await untilOthersGotOn(context).then(die)
    return 'charged'
  }),
  tool('fail', effect, (context) => {
    act('fail', context)
    throw new Error('out of order')
  }),
  tool('hold', effect, async (context) => {
    act('hold', context)
    say({ at: 'hold' })
    await hears('finish')
    return 'held'
  }),
  tool('block', effect, (context) => {
    act('block', context)
    say({ at: 'block' })
    // Until the test makes this file; a line on the standard input would not be read.
    while (!existsSync(`${options.world}.free`)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    say({ at: 'unblocked' })
    return 'blocked'
  })
]

function answer(prompt: LanguageModelV4Prompt): ScriptTurn {
  const first = prompt.find((message) => message.role === 'user')
  const kind = first?.role === 'user' && first.content[0]?.type === 'text' ? first.content[0].text : ''
  const answers = prompt.filter((message) => message.role === 'assistant').length
  const calls = (...names: string[]): ScriptTurn => ({ toolCalls: names.map((name, k) => ({ name, arguments: { k, answers } })) })
  if (kind === 'walk') return [calls('note', 'note', 'note'), calls('fail'), calls('note')][answers] ?? { text: 'done' }
  if (kind === 'steps') return answers < 3 ? calls('step') : { text: 'done' }
  if (kind === 'stream') return { text: 'done' }
  return answers === 0 ? calls(...(kind === 'charge' ? ['note', 'charge'] : [kind])) : { text: 'done' }
}

const scripted = answeringModel(answer)
const model: typeof scripted = {
  ...scripted,
  async doStream(call) {
    say({ asked: call.prompt })
    const { stream } = await scripted.doStream(call)
    if (options.die !== 'stream') return { stream }
    const parts = stream.pipeThrough(
      new TransformStream({ transform: (part, controller) => (part.type === 'text-end' ? die() : controller.enqueue(part)) })
    )
    return { stream: parts }
  }
}

const store = await sqliteStore(options.path, { durability: 'process' })
const runtime = createRuntime({
  store,
  tools,
  models: { main: model },
  ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
  ...(options.crashBudget === undefined ? {} : { crashBudget: options.crashBudget }),
  ...(options.recover === undefined ? {} : { recover: options.recover })
})

async function watch(thread: string): Promise<void> {
  for await (const event of runtime.thread(thread).events()) {
    if (!('cursor' in event)) continue
    if (typeof options.die === 'object' && event.cursor.sequence >= options.die.sequence) die()
  }
}

async function follow(thread: string, begin: () => Promise<unknown>): Promise<void> {
  try {
    await begin()
    say({ driving: thread })
    if (typeof options.die === 'object') watch(thread).catch(() => {})
    const { status, text } = await runtime.thread(thread).settled()
    say({ settled: thread, status, text })
  } catch (error) {
    say({
      refused: thread,
      code: isHoldfastError(error) ? error.code : String(error),
      details: isHoldfastError(error) ? error.details : {}
    })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  heard.add(line)
  for (const listener of listeners) listener()
  if (line === 'stop')
    runtime.close({ graceMs: 0 }).then(
      () => process.exit(0),
      () => process.exit(1)
    )
})

const agent = { name: 'walker', model: { ref: 'main' }, tools: tools.map((each) => each.name) }
const work: Promise<void>[] = []
for (const { kind, key } of options.start ?? []) {
  const { thread } = await runtime.start(agent, { input: kind, idempotencyKey: key })
  say({ started: thread, key })
  work.push(follow(thread, async () => {}))
}
if (options.resume?.go) {
  say({ at: 'ready' })
  await hears('go')
}
for (const thread of options.resume?.threads ?? []) {
  work.push(follow(thread, () => runtime.thread(thread).resume({ takeover: options.resume?.takeover ?? false })))
}
await Promise.all(work)
say({ at: 'end' })
