import type { Tool } from '@holdfast/runtime'

/**
 * Tools in place of those that a thread needs and nobody has any more, for a drive that ends its run: that starts no call. One that is called
 * all the same says what it is.
 */
export function createStandIns(needs: readonly string[], known: readonly Tool<never>[]): readonly Tool<never>[] {
  const names = new Set(known.map(({ origin, name }) => `${origin === 'os' ? OF_RUNTIME : OF_HOST}${name}`))
  return needs.filter((need) => need.startsWith(OF_HOST) && !names.has(need)).map(createStandIn)
}

const OF_HOST = 'tool:'
/** Those that come with the runtime. */
const OF_RUNTIME = 'tool:os:'

function createStandIn(need: string): Tool<never> {
  const isOfRuntime = need.startsWith(OF_RUNTIME)
  const name = need.slice((isOfRuntime ? OF_RUNTIME : OF_HOST).length)
  return {
    name,
    ...(isOfRuntime ? { origin: 'os' } : {}),
    description: 'Stands in for a tool that is not there.',
    input: { kind: 'json', jsonSchema: { type: 'object' } },
    effect: 'once',
    parallelSafe: false,
    execute: () => {
      throw new Error(`the tool ${name} is not there: nothing was done`)
    }
  }
}
