import type { GrantedNames, Grants, Tool } from '@holdfast/runtime'
import { loadTools } from './libraries.ts'
import type { ProjectGrants } from './project-grants.ts'

/** A field of grants that a tool of the runtime works with. */
type Needed = 'files.read' | 'files.write' | 'network.hosts'

/** The tools that come with the runtime, with what each needs. */
const NEEDS: { readonly [tool: string]: readonly Needed[] } = {
  read_file: ['files.read'],
  list_directory: ['files.read'],
  search_files: ['files.read'],
  write_file: ['files.write'],
  edit_file: ['files.read', 'files.write'],
  fetch_url: ['network.hosts']
}

/** A tool that is not given, and why. */
export interface Ungranted {
  readonly tool: string
  /** The field that holds nothing, or not the tool. */
  readonly field: Needed | 'tools'
  readonly why: 'not_granted' | 'not_asked' | 'not_kept' | 'nothing_shared'
}

/** Makes the tools of the runtime that grants allow. `hidden` is what none of them sees, whatever they may read. */
export async function createBuiltIns(
  { effective: grants, workspace, folders }: ProjectGrants,
  hidden: readonly string[]
): Promise<readonly Tool<never>[]> {
  const { fetchUrlTool, fileTools } = await loadTools()
  const roots = { read: toRoots(grants.files.read, workspace), write: toRoots(grants.files.write, workspace) }
  const network = grants.network.hosts.length === 0 ? [] : [fetchUrlTool({ network: grants.network })]
  return [...fileTools({ ...roots, hidden, folders }), ...network]
}

/** Which tool of the runtime a name is that of, and what is missing for it; nothing when nothing is, or when it is none. */
export function findUngranted(tool: string, project: ProjectGrants): Ungranted | undefined {
  const needed = Object.hasOwn(NEEDS, tool) ? (NEEDS[tool] ?? []) : []
  const field = needed.find((each) => isNothing(project.effective, each))
  if (field === undefined) return undefined
  return { tool, field, why: whyNot(project, field) }
}

function whyNot({ host, asked, kept }: ProjectGrants, field: Needed): Ungranted['why'] {
  if (isNothing(host, field)) return 'not_granted'
  if (isNothing(asked, field)) return 'not_asked'
  return kept !== undefined && isNothing(kept, field) ? 'not_kept' : 'nothing_shared'
}

/** Whether a name is that of a tool that comes with the runtime. */
export function isBuiltIn(tool: string): boolean {
  return Object.hasOwn(NEEDS, tool)
}

function isNothing(grants: Grants, field: Needed): boolean {
  return { 'files.read': grants.files.read, 'files.write': grants.files.write, 'network.hosts': grants.network.hosts }[field].length === 0
}

/** Relative paths begin at the first one: in the workspace, where one of them is. */
function toRoots(roots: GrantedNames, workspace = ''): readonly string[] {
  if (roots === 'all') return ['/']
  const isOwn = (root: string): boolean => root === workspace || root.startsWith(`${workspace}/`)
  return [...roots.filter(isOwn), ...roots.filter((root) => !isOwn(root))]
}
