// Keeps I8: what an agent is given is what the configuration grants and the agent asks for, whatever either calls a folder.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '@holdfast/config'
import type { Grants, GrantsInput } from '@holdfast/runtime'
import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'

/** What the configuration grants, what the agent asks for, and what is in both. Folders are canonical. */
export interface ProjectGrants {
  /** The folder of the configuration. */
  readonly workspace: string | undefined
  readonly host: Grants
  readonly asked: Grants
  readonly effective: Grants
}

/** The name of the folder in which the configuration lies. */
const WORKSPACE = 'workspace:'

/**
 * The grants of an agent in a project. Without a configuration there are none; an agent that says nothing asks for all. Links are followed first: a
 * folder in the workspace that leads out of it is what it leads to. Throws `invalid_config` for a named folder that is not the workspace.
 */
export async function findProjectGrants(config: Config, asked: GrantsInput | undefined): Promise<ProjectGrants> {
  const { ALL_GRANTS, intersectGrants, NO_GRANTS } = await loadRuntime()
  const workspace = config.file === undefined ? undefined : await resolveLinks(dirname(config.file))
  const host = await toCanonicalGrants(config.grants ?? NO_GRANTS, workspace)
  const own = asked === undefined ? ALL_GRANTS : await toCanonicalGrants(asked, workspace)
  return { workspace, host, asked: own, effective: intersectGrants(host, own) }
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
