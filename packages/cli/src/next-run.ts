import { resolve } from 'node:path'
import type { Budget, Part } from '@holdfast/runtime'
import { loadAgentFile } from './agent-file.ts'
import type { LaunchOptions } from './agent-launch.ts'
import { readAttachment } from './attachment.ts'
import type { CommandContext } from './command-context.ts'
import type { DeliveryOptions } from './delivery.ts'
import { send } from './delivery.ts'
import { Failure } from './failure.ts'
import { openExisting } from './workspace.ts'

/** What the next run of a thread begins with. */
export interface NextRun {
  readonly thread: string
  /** The manifest that the thread is thought to run. */
  readonly file: string
  readonly text: string | undefined
  readonly attach: readonly string[]
  /** The same key again is the same message. */
  readonly idempotencyKey?: string
}

/** Goes on with a thread: sends the message that its next run begins with, and drives it here unless somebody else does. */
export async function startNextRun(context: CommandContext, next: NextRun, options: DeliveryOptions): Promise<number> {
  const { thread, text, attach, idempotencyKey } = next
  const { cwd } = context.io
  if (text === undefined && attach.length === 0) {
    throw new Failure('invalid_input', `A prompt is needed: the next run of ${thread} begins with it.`, {
      remedy: 'Say it behind the manifest, or with --input.'
    })
  }
  await assertSameAgent(context, next)
  const files = await Promise.all(attach.map((path) => readAttachment(resolve(cwd, path))))
  const parts: readonly Part[] = [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...files.map(({ part }) => part)]
  context.output.progress(`thread ${thread}, with the definition that it was started with`)
  return send(thread, context, options, async (handle) => ({
    ...(await handle.message(parts, idempotencyKey === undefined ? {} : { id: idempotencyKey }))
  }))
}

/** A thread keeps what it was started with. Throws `invalid_input` for what cannot be changed any more. */
export function assertKept(options: LaunchOptions & { readonly budget?: Budget }): void {
  const { model, label = {}, grant = [], budget, durability } = options
  const isChanged =
    model !== undefined ||
    budget !== undefined ||
    durability !== undefined ||
    options.var.length > 0 ||
    grant.length > 0 ||
    Object.keys(label).length > 0
  if (!isChanged) return
  throw new Failure('invalid_input', 'A thread keeps the definition, the variables, the labels and the grants that it was started with.', {
    remedy:
      'Leave --model, --var, --label, --grant, --budget and --durability out, or start another thread. Its budget is set with `holdfast budget extend`.'
  })
}

async function assertSameAgent(context: CommandContext, { file, thread }: NextRun): Promise<void> {
  const { cwd } = context.io
  const { path, definition } = await loadAgentFile(resolve(cwd, file), { cwd })
  await using workspace = await openExisting(context)
  const { row } = await workspace.runtime.thread(thread).info()
  if (row.agent === definition.name) return
  throw new Failure(
    'invalid_input',
    `${thread} runs the agent ${JSON.stringify(row.agent)}, and ${path} is ${JSON.stringify(definition.name)}.`,
    {
      details: { thread, agent: row.agent },
      remedy: 'Name the manifest of its agent, or start another thread.'
    }
  )
}
