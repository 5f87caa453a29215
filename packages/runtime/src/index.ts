export type {
  AgentDefinition,
  AgentTool,
  EventsOptions,
  MessageReceipt,
  RunHandle,
  RunResult,
  Runtime,
  RuntimeOptions,
  StartOptions,
  ThreadHandle
} from './contracts/api.ts'
export type { Clock, IdSource } from './contracts/clock.ts'
export type { ErrorCode } from './contracts/errors.ts'
export { ERROR_CODES, FatalError, HoldfastError, isHoldfastError, RetryableError } from './contracts/errors.ts'
export type { CommittedEvent, Cursor, HoldfastEvent, SettledEvent, TransientEvent } from './contracts/event.ts'
export type { Commit, Effect, Fact, FactOf, Fault } from './contracts/fact.ts'
export type { Ms, Principal, ThreadId } from './contracts/ids.ts'
export type { Json, JsonObject } from './contracts/json.ts'
export type { Body, CallResult, Part } from './contracts/message.ts'
export type { LanguageModel, ModelResolver } from './contracts/model.ts'
export type {
  Definition,
  Limits,
  ModelReference,
  ModelSettings,
  Publication,
  ToolDescriptor,
  VariableDeclaration
} from './contracts/publication.ts'
export type { Page, RunInfo, RunStatus, Store, ThreadInfo, ThreadQuery, ThreadRow, WaitQuery, WaitRow } from './contracts/store.ts'
export type { Logger, Tool, ToolContext } from './contracts/tool.ts'
export type { Cost, Usage } from './contracts/usage.ts'
export { defineAgent } from './define-agent.ts'
export { defineTool } from './define-tool.ts'
export { parseWorkerId } from './engine/worker-id.ts'
export { scriptedModel } from './models/scripted-model.ts'
export { createRuntime } from './runtime.ts'
export { memoryStore } from './stores/memory-store.ts'
