export type { AgentTool } from './contracts/agent-tool.ts'
export type { AgentDefinition, ImportReceipt, Runtime, RuntimeOptions, StartOptions } from './contracts/api.ts'
export type { CancelReceipt, ItemReceipt, MessageOptions, MessageReceipt } from './contracts/receipt.ts'
export type {
  EventsOptions,
  SettledOptions,
  ForkHandle,
  RunHandle,
  ThreadCheck,
  ThreadHandle,
  ThreadProblem,
  TurnPrompt
} from './contracts/thread-handle.ts'
export type { RunResult } from './contracts/run-result.ts'
export type { Approval, RememberedScope } from './contracts/approval.ts'
export type { Budget, BudgetChange, BudgetReason, BudgetStatus, BudgetUse } from './contracts/budget.ts'
export type { ArtifactCollection, ArtifactEntry, RuntimeArtifacts } from './contracts/artifact-api.ts'
export type { ArtifactInfo, ArtifactQuery, ArtifactStore, ArtifactUse } from './contracts/artifact.ts'
export type { Clock, IdSource } from './contracts/clock.ts'
export type { ApproveOptions, Decision, DecisionPolicy, DecisionReceipt } from './contracts/decision.ts'
export type { ErrorCode } from './contracts/errors.ts'
export { ERROR_CODES, FatalError, HoldfastError, isHoldfastError, RetryableError } from './contracts/errors.ts'
export type { EventSink, SinkEvent } from './contracts/event-sink.ts'
export type { CommittedEvent, Cursor, HoldfastEvent, SettledEvent, TransientEvent } from './contracts/event.ts'
export type { CallOutcome, Commit, Effect, Fact, FactOf, GivenResult, RunStatus, WaitKind } from './contracts/fact.ts'
export type { Fault } from './contracts/fault.ts'
export type { ForkChange, ForkedCall, ForkOptions, ForkPlace } from './contracts/fork.ts'
export type { CallId, Digest, Ms, Principal, RunId, Scope, ThreadId, TurnId, WaitId } from './contracts/ids.ts'
export type {
  AfterInference,
  AfterToolCall,
  BeforeInference,
  BeforeToolCall,
  CostReport,
  Hook,
  HookAnswer,
  HookContext,
  HookEntry,
  HookOptions,
  HookedAnswer,
  HookedCall,
  HookedMessage,
  HookedRequest,
  HookedResult,
  ObserverContext,
  OnMessage,
  StateChange
} from './contracts/hook.ts'
export type { AgentReach, CodeLanguage, GrantedNames, Grants, GrantsInput, ShellGrant } from './contracts/grants.ts'
export type { InitialCall, InitialPrompt, InjectedPrompt } from './contracts/initial-prompt.ts'
export type { Json, JsonObject } from './contracts/json.ts'
export type { Labels } from './contracts/labels.ts'
export type { Body, CallResult, Part } from './contracts/message.ts'
export type { LanguageModel, ModelResolver } from './contracts/model.ts'
export type { PermissionRule, RuleCondition, RuleEffect } from './contracts/permission-rule.ts'
export type {
  Plugin,
  PluginBounds,
  PluginContext,
  PluginContextPlace,
  PluginEntry,
  PluginHookPoint,
  PluginParts,
  PluginRuleEffect,
  PublishedPlugin
} from './contracts/plugin.ts'
export type { PluginState, StateKey } from './contracts/plugin-state.ts'
export type { CalledModel, ModelPrice, ModelRates } from './contracts/price.ts'
export type {
  AgentEntry,
  ChildrenAtEnd,
  Definition,
  Limits,
  ModelCandidate,
  ModelReference,
  ModelSettings,
  Publication,
  ToolDescriptor,
  VariableDeclaration
} from './contracts/publication.ts'
export type { Page, ThreadQuery, WaitQuery } from './contracts/query.ts'
export type { RecordSink } from './contracts/record-sink.ts'
export type { RecordedCall, RecordedFailure, RecordedWait, TurnRecord } from './contracts/turn-record.ts'
export { RECORD_VERSION } from './contracts/turn-record.ts'
export type { SecretRegistry, SecretStream } from './contracts/secrets.ts'
export type { Beat, Claim, ClaimRequest } from './contracts/claim.ts'
export type { Checked, ShapeFault } from './contracts/shape-fault.ts'
export type {
  AcceptedItem,
  AppendRequest,
  Imported,
  ImportedThread,
  InboxItem,
  NewItem,
  NewThread,
  Receipt,
  Removed,
  RunInfo,
  Store,
  ThreadInfo,
  ThreadRow
} from './contracts/store.ts'
export type { Decided, NewWait, WaitRow } from './contracts/wait.ts'
export type { Resumed, SuspendedWait, Suspension, SuspensionKind } from './contracts/suspension.ts'
export { suspend } from './contracts/suspension.ts'
export type { Logger, OnUnknown, Reconciled, ReconcileContext, Tool, ToolContext, ToolNeeds } from './contracts/tool.ts'
export type { ToolInput } from './contracts/tool-input.ts'
export type { Cost, Usage } from './contracts/usage.ts'
export { addCost, addUsage, NO_USAGE } from './contracts/usage.ts'
export type { FileArtifactsOptions } from './artifacts/file-artifacts.ts'
export { fileArtifacts } from './artifacts/file-artifacts.ts'
export { defineAgent } from './define-agent.ts'
export type { PluginOptions } from './define-plugin.ts'
export { definePlugin, defineState } from './define-plugin.ts'
export type { ToolArguments, ToolOptions, ToolSchema, TypedTool } from './define-tool.ts'
export { defineTool } from './define-tool.ts'
export type { WorkerIdentity } from './engine/worker-id.ts'
export { parseWorkerId } from './engine/worker-id.ts'
export type { WorkerLife } from './engine/worker-life.ts'
export { readWorkerLife } from './engine/worker-life.ts'
export { ALL_GRANTS, intersectGrants, NO_GRANTS } from './grants/intersect-grants.ts'
export { parseGrants } from './grants/parse-grants.ts'
export type { HostRequest } from './grants/host-set.ts'
export { allowsEnv, allowsHost, allowsRead, allowsWrite } from './grants/permits.ts'
export { parsePermissionRules } from './grants/parse-rules.ts'
export { toRuleId } from './grants/rule-layers.ts'
export { parseWrittenGrants } from './grants/written-grants.ts'
export type { AgentManifest } from './manifest/agent-manifest.ts'
export { parseAgentManifest } from './manifest/definitions.ts'
export type { ParsedDocument } from './manifest/parsed-document.ts'
export type { Path, Position, Problem, ProblemCode } from './manifest/problem.ts'
export { renderProblem, toPathText } from './manifest/problem.ts'
export { toToolName } from './manifest/tool-name.ts'
export { parseYaml } from './manifest/parse-yaml.ts'
export { toPlacedError } from './manifest/placed-error.ts'
export type { Place } from './manifest/written-source.ts'
export { findPlace } from './manifest/written-source.ts'
export type { Script, ScriptTurn } from './models/script-turn.ts'
export type { Answer, ScriptedModelOptions } from './models/scripted-model.ts'
export { answeringModel, scriptedModel } from './models/scripted-model.ts'
export type { PriceLookup, PriceLookupOptions } from './prices/price-lookup.ts'
export { createPriceLookup } from './prices/price-lookup.ts'
export { createRuntime } from './runtime.ts'
export { DEFAULT_LIMITS } from './state/limits.ts'
export { createSecretRegistry } from './secrets.ts'
export { memoryStore } from './stores/memory-store.ts'
export { SCHEMA_VERSION as SQLITE_SCHEMA } from './stores/sqlite-schema.ts'
export type { SqliteStoreOptions } from './stores/sqlite-store.ts'
export { backupSqliteFile, checkSqliteFile, sqliteStore, vacuumSqliteFile } from './stores/sqlite.ts'
export type { SqliteCheck, SqliteSizes } from './stores/sqlite-maintenance.ts'
export type { ConsoleSinkOptions } from './telemetry/console-sink.ts'
export { consoleSink } from './telemetry/console-sink.ts'
export type { JsonlRecordsOptions } from './telemetry/jsonl-records.ts'
export { jsonlRecords, toRecordLine } from './telemetry/jsonl-records.ts'
export type { JsonlSinkOptions } from './telemetry/jsonl-sink.ts'
export { jsonlSink } from './telemetry/jsonl-sink.ts'
export { nearest } from './util/near-miss.ts'
