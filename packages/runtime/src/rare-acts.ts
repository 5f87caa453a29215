// What few programs do is loaded when it is first done: importing the runtime stays quick. AGENTS.md lists this file.
import type { ForkHandle } from './contracts/thread-handle.ts'
import type { ImportReceipt } from './contracts/api.ts'
import type { ForkOptions } from './contracts/fork.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { Json } from './contracts/json.ts'
import type { Definition } from './contracts/publication.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import type { FirstPrompts } from './first-prompts.ts'
import type { RuntimeCore } from './runtime-core.ts'

/** Makes a thread with the past of another one. */
export async function forkThread(core: RuntimeCore, source: ThreadId, options: ForkOptions): Promise<ForkHandle> {
  return (await import('./fork-thread.ts')).forkThread(core, source, options)
}

/** Makes a thread from its export. */
export async function importThread(core: RuntimeCore, pieces: AsyncIterable<string> | Iterable<string>): Promise<ImportReceipt> {
  return (await import('./import-thread.ts')).importThread(core, pieces)
}

/** The initial prompts of a definition as a thread begins with them: few have any. */
export async function toFirstPrompts(
  definition: Definition,
  variables: { readonly [key: string]: Json },
  secrets: SecretRegistry
): Promise<FirstPrompts> {
  if (definition.initialPrompts === undefined) return { redacted: [] }
  return (await import('./first-prompts.ts')).toFirstPrompts(definition.initialPrompts, definition.tools, { variables, secrets })
}
