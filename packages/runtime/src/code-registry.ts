import { HoldfastError } from './contracts/errors.ts'
import type { Tool } from './contracts/tool.ts'
import { identityOf } from './manifest/tool-registry.ts'
import { toToolNeed } from './state/pinned.ts'

/** Tools by identity. A later tool of the same name replaces the earlier one only when it is the same object. */
export class CodeRegistry {
  readonly #tools = new Map<string, Tool>()
  readonly #others: readonly string[]
  #needs: readonly string[] = []

  /** `others`: what threads may need here beside tools. */
  constructor(tools: readonly Tool<never>[] = [], others: readonly string[] = []) {
    this.#others = others
    this.add(tools)
  }

  add(tools: readonly Tool<never>[]): void {
    for (const tool of tools) {
      const identity = identityOf(tool)
      const known = this.#tools.get(identity)
      if (known && known !== (tool as Tool)) {
        throw new HoldfastError(
          'invalid_tools',
          `two different tools are named "${tool.name}": names are how threads find their tools after a restart`
        )
      }
      this.#tools.set(identity, tool as Tool)
    }
    this.#needs = [...[...this.#tools.keys()].flatMap((identity) => toToolNeed(identity) ?? []), ...this.#others]
  }

  get(identity: string): Tool | undefined {
    return this.#tools.get(identity)
  }

  get needs(): readonly string[] {
    return this.#needs
  }

  list(): readonly Tool[] {
    return [...this.#tools.values()]
  }
}
