// What looking into a store takes. An entry point of its own: who only lists threads loads nothing that drives them.
export type { SqliteStoreOptions } from './stores/sqlite-store.ts'
export { inspectSqliteFile } from './stores/sqlite-file.ts'
export { sqliteStore } from './stores/sqlite.ts'
export type { WorkerIdentity } from './engine/worker-id.ts'
export { parseWorkerId } from './engine/worker-id.ts'
export type { WorkerLife } from './engine/worker-life.ts'
export { readWorkerLife } from './engine/worker-life.ts'
export { DEFAULT_TENANT } from './contracts/ids.ts'
