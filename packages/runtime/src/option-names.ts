import type { Runtime, RuntimeOptions, StartOptions } from './contracts/api.ts'
import type { ApproveOptions } from './contracts/decision.ts'
import type { ForkOptions } from './contracts/fork.ts'
import type { OptionNames } from './contracts/known-options.ts'
import type { ThreadQuery, WaitQuery } from './contracts/query.ts'
import type { MessageOptions } from './contracts/receipt.ts'
import type { EventsOptions, SettledOptions, ThreadHandle } from './contracts/thread-handle.ts'

/** The options of a method: its only parameter of that kind, the last one. */
type Last<Method extends (...given: never) => unknown> =
  Required<Parameters<Method>> extends readonly [...unknown[], infer Options] ? Options : never

export const RUNTIME: OptionNames<RuntimeOptions> = {
  store: true,
  artifacts: true,
  tools: true,
  plugins: true,
  models: true,
  prices: true,
  recover: true,
  concurrency: true,
  leaseMs: true,
  crashBudget: true,
  tenant: true,
  principal: true,
  clock: true,
  ids: true,
  logger: true,
  secrets: true,
  grants: true,
  permissions: true,
  mayDecide: true,
  sinks: true,
  records: true,
  hooks: true,
  registeredHooks: true
}
export const CLOSE: OptionNames<Last<Runtime['close']>> = { graceMs: true, modelGraceMs: true }
export const START: OptionNames<StartOptions> = {
  input: true,
  variables: true,
  idempotencyKey: true,
  labels: true,
  grants: true,
  budget: true
}
export const FORK: OptionNames<ForkOptions> = { at: true, change: true, idempotencyKey: true }
export const THREADS: OptionNames<Omit<ThreadQuery, 'tenant'>> = {
  status: true,
  root: true,
  since: true,
  labels: true,
  after: true,
  limit: true
}
export const WAITS: OptionNames<Omit<WaitQuery, 'tenant'>> = { thread: true, root: true, kind: true, after: true, limit: true }
export const APPROVE: OptionNames<ApproveOptions> = { note: true, arguments: true, remember: true }
export const DENY: OptionNames<Last<Runtime['deny']>> = { reason: true }
export const MESSAGE: OptionNames<MessageOptions> = { id: true, interrupt: true, answers: true }
export const EVENTS: OptionNames<EventsOptions> = { after: true, follow: true, bodies: true, signal: true }
export const SETTLED: OptionNames<SettledOptions> = { signal: true, here: true }
export const LOG: OptionNames<Last<ThreadHandle['log']>> = { bodies: true }
export const CANCEL: OptionNames<Last<ThreadHandle['cancel']>> = { reason: true, graceMs: true }
export const RECEIPT: OptionNames<Last<ThreadHandle['receipt']>> = { wait: true, signal: true }
export const RESUME: OptionNames<Last<ThreadHandle['resume']>> = { takeover: true }
export const PROMPT: OptionNames<Last<ThreadHandle['prompt']>> = { try: true }
export const REMOVE: OptionNames<Last<ThreadHandle['remove']>> = { unfinished: true }
