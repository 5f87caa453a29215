// One process of the test of approvals: a runtime over a SQLite file and a provider that does one thing and says what comes of it, a line of JSON each.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { Json, ToolContext } from '@holdfast/runtime'
import { createRuntime, defineTool, sqliteStore } from '@holdfast/runtime'
import type { ProviderConfig } from '../../src/index.ts'
import { createModelResolver, NO_CONFIG } from '../../src/index.ts'

/** What a child does. */
export type Task =
  | { readonly do: 'start'; readonly dieIn?: string }
  | { readonly do: 'list' }
  | { readonly do: 'take over'; readonly thread: string }
  | {
      readonly do: 'decide'
      readonly decisions: readonly { readonly wait: string; readonly deny?: string; readonly edit?: { readonly [name: string]: Json } }[]
    }
  | { readonly do: 'answer'; readonly wait: string; readonly answer: Json; readonly thread: string }

/** What a child is told. */
export interface ChildOptions {
  /** The store's file. */
  readonly path: string
  /** The file to which tools append what they do. */
  readonly ledger: string
  readonly provider: ProviderConfig
  readonly model: string
  /** Who acts here. */
  readonly person: string
  readonly task: Task
}

const options: ChildOptions = JSON.parse(process.argv[2] ?? '{}')

function say(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Appends a line to the ledger, on the disk before it returns. */
function act(tool: string, input: unknown, context: ToolContext): string {
  const file = openSync(options.ledger, 'a')
  writeSync(file, `${JSON.stringify({ tool, input, key: context.idempotencyKey, pid: process.pid })}\n`)
  fsyncSync(file)
  closeSync(file)
  if ('dieIn' in options.task && options.task.dieIn === tool) process.kill(process.pid, 'SIGKILL')
  return `${tool} did ${JSON.stringify(input)}`
}

const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'], additionalProperties: false }
const tools = ['weigh', 'pay', 'mail'].map((name) =>
  defineTool({
    name,
    description: name,
    input: amount,
    effect: name === 'weigh' ? 'read' : 'once',
    approval: name !== 'weigh',
    execute: (input, context) => act(name, input, context)
  })
)

const runtime = createRuntime({
  store: await sqliteStore(options.path, { durability: 'process' }),
  tools,
  models: createModelResolver(
    { ...NO_CONFIG, providers: { p: options.provider } },
    { env: { KEY: 'a-key-of-no-provider-0123456789' }, baseDir: '.' }
  ),
  principal: { kind: 'person', id: options.person }
})

const agent = { name: 'clerk', model: { provider: 'p', model: options.model }, tools: ['weigh', 'pay', 'mail', 'ask_user'] }

async function perform(task: Task): Promise<void> {
  switch (task.do) {
    case 'start': {
      const run = await runtime.start(agent, { input: 'Settle the bill.', idempotencyKey: 'bill' })
      say({ started: run.thread })
      say({ rests: (await run.settled()).status })
      return new Promise(() => setInterval(() => {}, 1_000))
    }
    case 'list':
      return say({ waits: (await runtime.waits()).items })
    case 'take over':
      await runtime.thread(task.thread).resume({ takeover: true })
      return say({ rests: (await runtime.thread(task.thread).settled()).status })
    case 'decide':
      for (const { wait, deny, edit } of task.decisions) {
        const receipt =
          deny === undefined ? await runtime.approve(wait, edit ? { arguments: edit } : {}) : await runtime.deny(wait, { reason: deny })
        say({ decided: wait, state: receipt.state })
      }
      return
    case 'answer': {
      say({ answered: (await runtime.answer(task.wait, task.answer)).state })
      const { status, text } = await runtime.thread(task.thread).settled()
      return say({ ended: status, text })
    }
  }
}

await perform(options.task)
await runtime.close()
process.exit(0)
