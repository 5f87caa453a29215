import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'
import type { ModuleCode } from './tools-module.ts'

/** A module and what it gives. */
export interface LoadedModule {
  readonly path: string
  readonly code: ModuleCode
}

const KINDS = { tools: 'tools', plugins: 'plugins', registeredHooks: 'hooks' } as const

/** Throws `invalid_tools` when a module gives something of a name that one before it gives, too: both files are named. The same thing twice is one. */
export async function requireOwnNames({ path, code }: LoadedModule, before: readonly LoadedModule[]): Promise<void> {
  if (before.length === 0) return
  const { toToolName } = await loadRuntime()
  for (const field of ['tools', 'plugins', 'registeredHooks'] as const) {
    const toName = field === 'tools' ? toToolName : (name: string) => name
    for (const part of code[field]) {
      const isOther = (each: { readonly name: string }) => each !== part && toName(each.name) === toName(part.name)
      const other = before.find((module) => module.code[field].some(isOther))
      if (other === undefined) continue
      throw new Failure('invalid_tools', `Two ${KINDS[field]} are called "${part.name}": one of ${other.path}, one of ${path}.`, {
        details: { name: part.name, paths: [other.path, path] },
        remedy: 'Rename one of them, or leave one of the modules out (`tools` of the configuration, --tools).'
      })
    }
  }
}
