// Keeps I8: what an agent is given is what the configuration grants and the agent asks for, whatever either calls a folder.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '@holdfast/config'
import type { Grants, GrantsInput } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'

/** What the configuration grants, what the agent asks for, what its thread was made with, and what is in all of them. Folders are canonical. */
export interface ProjectGrants {
  /** The folder of the configuration. */
  readonly workspace: string | undefined
  readonly host: Grants
  readonly asked: Grants
  /** Absent where the thread is about to be made. */
  readonly kept: Grants | undefined
  readonly effective: Grants
  /** Where the folders lie that a thread's grants call by a name, or by a path with links. */
  readonly folders: { readonly [granted: string]: string }
}

/** Whose grants. */
export interface GrantsOf {
  /** What the agent asks for. Absent: all. */
  readonly asked?: GrantsInput | undefined
  /** What a thread may do by its record and by what is granted today. Absent: it is about to be made. */
  readonly kept?: Grants | undefined
}

/** The name of the folder in which the configuration lies. */
const WORKSPACE = 'workspace:'

/**
 * The grants of an agent in a project. Without a configuration there are none; an agent that says nothing asks for all. Links are followed first: a
 * folder in the workspace that leads out of it is what it leads to. Throws `invalid_config` for a named folder that is not the workspace.
 */
export async function findProjectGrants(config: Config, { asked, kept }: GrantsOf): Promise<ProjectGrants> {
  const { ALL_GRANTS, intersectGrants, NO_GRANTS, parseWrittenGrants } = await loadRuntime()
  const workspace = await findWorkspace(config)
  const host = await toCanonicalGrants(config.grants ?? NO_GRANTS, workspace)
  const written = asked === undefined ? undefined : parseWrittenGrants(asked)
  const own = written === undefined ? ALL_GRANTS : written.ok ? written.value : NO_GRANTS
  const spelled = kept ?? intersectGrants((await toHostGrants(config)) ?? NO_GRANTS, own)
  const [canonicalAsked, canonicalKept] = [await toCanonicalGrants(own, workspace), await toCanonicalGrants(spelled, workspace)]
  return {
    workspace,
    host,
    asked: canonicalAsked,
    kept: kept === undefined ? undefined : canonicalKept,
    effective: intersectGrants(intersectGrants(host, canonicalAsked), canonicalKept),
    folders: await toGrantedFolders(spelled, workspace)
  }
}

/** Links are followed here and now, and not when a tool runs: who changes one then changes nothing of what was granted. */
async function toGrantedFolders({ files }: Grants, workspace: string | undefined): Promise<ProjectGrants['folders']> {
  const roots = [files.read, files.write].flatMap((each) => (each === 'all' ? [] : each))
  const folders = await Promise.all(roots.map(async (root) => [root, await resolveLinks(toPath(root, workspace))] as const))
  return { ...Object.fromEntries(folders), ...(workspace === undefined ? {} : { [`${WORKSPACE}/`]: workspace }) }
}

/**
 * What a configuration grants, for a runtime. Folders stand in it in every spelling that an agent may ask for them in: as they are written, by the name of the
 * workspace, and with links followed. All of them are the same folders, and none is reached by its spelling alone.
 */
export async function toHostGrants(config: Config): Promise<Grants | undefined> {
  const { grants } = config
  if (grants === undefined) return undefined
  const { parseGrants } = await loadRuntime()
  const workspace = await findWorkspace(config)
  const files = { read: await toSpellings(grants.files.read, workspace), write: await toSpellings(grants.files.write, workspace) }
  const parsed = parseGrants({ ...grants, files })
  return parsed.ok ? parsed.value : { ...grants, files: { read: [], write: [] } }
}

async function toSpellings(roots: Grants['files']['read'], workspace: string | undefined): Promise<Grants['files']['read']> {
  if (roots === 'all') return roots
  const spelled = await Promise.all(
    roots.map(async (root) => {
      const path = await resolveLinks(toPath(root, workspace))
      const isInside = workspace !== undefined && (path === workspace || path.startsWith(`${workspace}/`))
      return [root, path, ...(isInside ? [`${WORKSPACE}/${path.slice(workspace.length + 1)}`] : [])]
    })
  )
  return spelled.flat()
}

async function findWorkspace({ file }: Config): Promise<string | undefined> {
  return file === undefined ? undefined : await resolveLinks(dirname(file))
}

/** Grants without named folders and links, in normal form. */
async function toCanonicalGrants(grants: GrantsInput, workspace: string | undefined): Promise<Grants> {
  const { NO_GRANTS, parseGrants } = await loadRuntime()
  const { read = [], write = [] } = grants.files ?? {}
  const files = { read: await toFolders(read, workspace), write: await toFolders(write, workspace) }
  const parsed = parseGrants({ ...grants, files })
  return parsed.ok ? parsed.value : NO_GRANTS
}

async function toFolders(
  roots: NonNullable<GrantsInput['files']>['read'],
  workspace: string | undefined
): Promise<Grants['files']['read']> {
  if (roots === 'all') return roots
  return Promise.all((roots ?? []).map((root) => resolveLinks(toPath(root, workspace))))
}

function toPath(root: string, workspace: string | undefined): string {
  if (root.startsWith('/')) return root
  if (workspace !== undefined && root.startsWith(`${WORKSPACE}/`)) return join(workspace, root.slice(WORKSPACE.length))
  throw new Failure('invalid_config', `The folder ${JSON.stringify(root.slice(0, 200))} of the grants is none that this command knows.`, {
    details: { root: root.slice(0, 200) },
    remedy: `Write an absolute path, or ${WORKSPACE}/… for the folder of the configuration.`
  })
}

/** Of what does not exist yet: the nearest folder that does, and the rest. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await resolveLinks(parent), basename(path))
  }
}
