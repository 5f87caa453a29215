import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Store } from '@holdfast/runtime'
import { memoryStore, sqliteStore } from '@holdfast/runtime'

/** What a power cut may take. */
export type Durability = 'power' | 'process'

/** The stores that are measured. */
export type StoreKind = 'memory' | Durability

/** A store on a new file, or in memory. */
export interface BenchStore {
  readonly store: Store
  /** Opens the same file again; the first must be closed. */
  reopen(): Promise<BenchStore>
  /** Closes the store and gives the size of its file. */
  close(): Promise<number>
  /** Closes the store and removes its file. */
  [Symbol.asyncDispose](): Promise<void>
}

// Not the system's folder for temporary files: that may be in memory, where a sync costs nothing.
const FOLDER = resolve('node_modules/.cache/holdfast-bench/files')
let files = 0

/** A path in the repository, from where the bench is run, where no file is. */
export function newFile(name: string): string {
  mkdirSync(FOLDER, { recursive: true })
  files += 1
  return join(FOLDER, `${name}-${process.pid}-${files}.db`)
}

/** Makes an empty store. */
export async function openStore(kind: StoreKind): Promise<BenchStore> {
  return kind === 'memory' ? wrap(memoryStore(), null, kind) : openFile(newFile(kind), kind)
}

async function openFile(path: string, kind: Durability): Promise<BenchStore> {
  return wrap(await sqliteStore(path, { durability: kind }), path, kind)
}

function wrap(store: Store, path: string | null, kind: StoreKind): BenchStore {
  const close = async (): Promise<number> => {
    await store[Symbol.asyncDispose]()
    return path === null ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  }
  return {
    store,
    close,
    reopen: async () => (path === null || kind === 'memory' ? wrap(store, null, kind) : openFile(path, kind)),
    [Symbol.asyncDispose]: async () => {
      await close()
      if (path !== null) for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
    }
  }
}
