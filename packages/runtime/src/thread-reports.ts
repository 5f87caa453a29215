// What few programs ask of a thread is loaded when it is first asked: importing the runtime stays quick. AGENTS.md lists this file.
import type { ThreadCheck, TurnPrompt } from './contracts/thread-handle.ts'
import type { ThreadId, TurnId } from './contracts/ids.ts'
import type { TurnRecord } from './contracts/turn-record.ts'
import type { RuntimeCore } from './runtime-core.ts'

/** The thread as a text. */
export async function* exportThread(core: RuntimeCore, thread: ThreadId): AsyncGenerator<string> {
  yield* (await import('./export-thread.ts')).exportThread(core, thread)
}

/** Compares what the store keeps of a thread with its log. */
export async function verifyThread(core: RuntimeCore, thread: ThreadId): Promise<ThreadCheck> {
  return (await import('./verify-thread.ts')).verifyThread(core, thread)
}

/** What the model was given at a turn. */
export async function readPrompt(core: RuntimeCore, thread: ThreadId, turn: number | TurnId, wantedTry?: number): Promise<TurnPrompt> {
  return (await import('./turn-prompt.ts')).readPrompt(core, thread, turn, wantedTry)
}

/** The turns of a thread as records. */
export async function* threadRecords(core: RuntimeCore, thread: ThreadId): AsyncGenerator<TurnRecord> {
  yield* (await import('./thread-records.ts')).threadRecords(core, thread)
}
