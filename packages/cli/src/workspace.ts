import { userInfo } from 'node:os'
import type { EngineConfig } from '@holdfast/config'
import type { ModelResolver, Principal, Runtime, RuntimeOptions, Store } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { createLogger } from './command-logger.ts'
import { readProject, readStoreProject } from './configuration.ts'
import type { HostAuthority } from './host-authority.ts'
import { loadLook, loadRuntime } from './libraries.ts'
import type { StoreLocation } from './store-location.ts'
import type { ModuleCode } from './tools-module.ts'
import { createStoreArtifacts } from './store-artifacts.ts'
import { findConfigFile, findExistingStore } from './store-location.ts'

/** How safe a commit is before the run goes on: also from a power cut, or only from the death of the process. */
export type Durability = 'power' | 'process'

/** What a workspace is opened with. Without `drives` it only looks and delivers. */
export interface WorkspaceOptions {
  /** What the project says about what threads may do. Default: nothing. */
  readonly host?: HostAuthority
  /** Whether bodies are kept, also without driving. */
  readonly writes?: boolean
  readonly drives?: {
    readonly code: ModuleCode
    readonly models: ModelResolver
    readonly prices: NonNullable<RuntimeOptions['prices']>
    readonly durability?: Durability | undefined
    readonly engine?: EngineConfig | undefined
    /** Knows everything that driving needs, and drives nothing. */
    readonly idle?: boolean
    /** Told of a thread before it exists: what it does must be done when anything of the thread is. */
    readonly beforeCreate?: (thread: string) => void
  }
}

/** A store and a runtime over it. Disposing it lets go of every thread and closes the store. */
export interface Workspace extends AsyncDisposable {
  readonly location: StoreLocation
  readonly runtime: Runtime
}

/** Opens the store at a location. Throws the store's errors when the file is none, is newer or cannot be used. */
export async function openWorkspace(context: CommandContext, location: StoreLocation, options: WorkspaceOptions = {}): Promise<Workspace> {
  const { createRuntime, sqliteStore } = await loadRuntime()
  const { drives, host } = options
  const store = await sqliteStore(location.path, drives?.durability === undefined ? {} : { durability: drives.durability })
  const artifacts = await createStoreArtifacts(store, location, { writes: options.writes ?? drives !== undefined }).catch(async (error) => {
    await store[Symbol.asyncDispose]()
    throw error
  })
  const notices = drives === undefined ? undefined : host?.notices?.()
  const runtime = createRuntime({
    store: drives?.beforeCreate === undefined ? store : watchCreation(store, drives.beforeCreate),
    ...(artifacts === undefined ? {} : { artifacts }),
    principal: systemUser(),
    logger: createLogger(context.output),
    secrets: await context.secrets.registry(),
    ...(drives === undefined ? {} : { ...drives.code, models: drives.models, prices: drives.prices }),
    ...drives?.engine,
    ...(host?.grants === undefined ? {} : { grants: host.grants }),
    ...(host === undefined ? {} : { permissions: host.permissions }),
    ...(notices === undefined ? {} : { sinks: [notices] }),
    ...(drives === undefined || drives.idle === true ? { concurrency: 0 } : {})
  })
  return {
    location,
    runtime,
    [Symbol.asyncDispose]: async () => {
      await runtime.close({ modelGraceMs: 0 })
      notices?.[Symbol.dispose]()
      await store[Symbol.asyncDispose]()
    }
  }
}

/**
 * Opens the store that is there, to look into it and (`delivers`) to put something into an inbox. Throws `store_unavailable` when there is
 * none.
 */
export async function openExisting(context: CommandContext, options: { readonly delivers?: boolean } = {}): Promise<Workspace> {
  // Who only looks is shown what is kept, and that holds no secret.
  if (options.delivers !== true) return openWorkspace(context, await locateExisting(context, 'bodies'))
  const { cwd } = context.io
  const { config, context: known } = await readProject(context, findConfigFile(cwd))
  const { env } = known.io
  await context.secrets.register(config, env)
  return openWorkspace(context, findExistingStore({ named: context.options.store, config, cwd, env }))
}

/** Opens the store that is there by itself, without what drives threads: for lists, which must come at once. Throws as `openExisting`. */
export async function openStoreOnly(context: CommandContext): Promise<Store> {
  const location = await locateExisting(context, 'rows')
  const { sqliteStore } = await loadLook()
  return sqliteStore(location.path)
}

/** Finds the store, and for what is shown of bodies where they are. Throws as `openExisting`. */
export async function locateExisting(context: CommandContext, shown: 'rows' | 'bodies'): Promise<StoreLocation> {
  const { cwd } = context.io
  const named = context.options.store
  const words = [...(named === undefined ? ['store'] : []), ...(shown === 'bodies' ? ['artifacts'] : [])]
  const { config, context: known } = await readStoreProject(context, words.length === 0 ? undefined : findConfigFile(cwd), words)
  return findExistingStore({ named, config, cwd, env: known.io.env })
}

/** In the command it is the user of the system who acts. */
export function systemUser(): Principal {
  return { kind: 'person', id: nameOfUser() }
}

function nameOfUser(): string {
  try {
    return userInfo().username
  } catch {
    // A user without an entry in the system's list, as in many containers.
    return `uid:${process.getuid?.() ?? 'unknown'}`
  }
}

/** The same store; a hook runs before a thread is made in it. */
function watchCreation(store: Store, beforeCreate: (thread: string) => void): Store {
  return {
    ...store,
    create: (thread) => {
      beforeCreate(thread.id)
      return store.create(thread)
    },
    // A fork is made so.
    import: (thread) => {
      beforeCreate(thread.id)
      return store.import(thread)
    }
  }
}
