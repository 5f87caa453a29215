import type { Grants } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { readProject } from './configuration.ts'
import { toReport } from './failure.ts'
import { withGranted } from './grant-option.ts'
import { readHostAuthority } from './host-authority.ts'
import { findConfigFile } from './store-location.ts'
import { readMemo } from './thread-memo.ts'
import type { Workspace } from './workspace.ts'
import { openWorkspace } from './workspace.ts'

/** What a thread may do today, or why nobody can say. */
export type ThreadGrants = { readonly grants: Grants } | { readonly problem: { readonly code: string; readonly message: string } }

/** Reads what a thread may do: what it was started with, and of that what its configuration grants today. Never throws. */
export async function readThreadGrants(context: CommandContext, { location }: Workspace, id: string): Promise<ThreadGrants> {
  try {
    const memo = readMemo(location, id)
    const { config, context: known } = await readProject(context, memo?.config ?? findConfigFile(context.io.cwd))
    const host = await readHostAuthority(await withGranted(config, memo?.granted ?? []), known)
    await using workspace = await openWorkspace(context, location, { host })
    return { grants: await workspace.runtime.thread(id).grants() }
  } catch (error) {
    const { code, message } = toReport(error)
    return { problem: { code, message } }
  }
}
