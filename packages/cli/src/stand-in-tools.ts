import type { Tool } from '@holdfast/runtime'

/**
 * Tools in place of those that a thread needs and nobody has any more, for a drive that ends its run: that starts no call. One that is called
 * all the same says what it is.
 */
export function createStandIns(needs: readonly string[], known: readonly Tool<never>[]): readonly Tool<never>[] {
  const names = new Set(known.map((tool) => `tool:${tool.name}`))
  return needs.filter((need) => need.startsWith('tool:') && !names.has(need)).map((need) => createStandIn(need.slice('tool:'.length)))
}

function createStandIn(name: string): Tool<never> {
  return {
    name,
    description: 'Stands in for a tool that is not there.',
    input: { kind: 'json', jsonSchema: { type: 'object' } },
    effect: 'once',
    parallelSafe: false,
    execute: () => {
      throw new Error(`the tool ${name} is not there: nothing was done`)
    }
  }
}
