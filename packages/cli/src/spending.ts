import type * as Holdfast from '@holdfast/runtime'
import type { Commit, Cost, ThreadHandle, Usage } from '@holdfast/runtime'
import { loadRuntime } from './libraries.ts'

/** Tokens and what they cost. */
export interface Spent {
  readonly usage: Usage
  readonly cost: Cost
}

/** A sum that knows how much of it is not known. */
export interface TotalSpent extends Spent {
  /** Of how many parts. */
  readonly count: number
  readonly knownCost: number
  /** Of how many parts the cost is not known. */
  readonly unknown: number
}

type Sums = Pick<typeof Holdfast, 'addCost' | 'addUsage' | 'NO_USAGE'>

const PAGE_BYTES = 4 * 1024 * 1024

/** Adds up parts. */
export function createTotal({ addCost, addUsage, NO_USAGE }: Sums) {
  let value: TotalSpent = { count: 0, usage: NO_USAGE, cost: 0, knownCost: 0, unknown: 0 }
  const add = (a: Spent, b: Spent): Spent => ({ usage: addUsage(a.usage, b.usage), cost: addCost(a.cost, b.cost) })
  return {
    get value(): TotalSpent {
      return value
    },
    /** One part more of the total. */
    add(spent: Spent): void {
      const isKnown = spent.cost !== 'unknown'
      value = {
        ...add(value, spent),
        count: value.count + 1,
        knownCost: Number(addCost(value.knownCost, isKnown ? spent.cost : 0)),
        unknown: value.unknown + (isKnown ? 0 : 1)
      }
    },
    /** The sum of some, which are no parts of the total. */
    sum(parts: ReadonlyMap<string, Spent>): Spent {
      return [...parts.values()].reduce(add, { usage: NO_USAGE, cost: 0 })
    }
  }
}

/** What the model calls of a thread have cost since a point in time, by run: read off its log, so that runs under way count, too. */
export async function readSpent(thread: ThreadHandle, since: number): Promise<ReadonlyMap<string, Spent>> {
  const { addCost, addUsage, NO_USAGE } = await loadRuntime()
  const runs = new Map<string, Spent>()
  const { head } = await thread.info()
  for (let from = await firstSince(thread, since, head); from <= head; ) {
    const page = await thread.log(from, PAGE_BYTES)
    const forked = page.findLastIndex(({ facts }) => facts.some((fact) => fact.type === 'thread.forked'))
    // What stands before was paid by the thread that it was copied from.
    if (forked >= 0) runs.clear()
    for (const { run, usage = NO_USAGE, cost } of page.slice(forked + 1).flatMap(callsOf)) {
      const before = runs.get(run) ?? { usage: NO_USAGE, cost: 0 }
      runs.set(run, { usage: addUsage(before.usage, usage), cost: addCost(before.cost, cost) })
    }
    from = (page.at(-1)?.sequence ?? head) + 1
  }
  return runs
}

/** The first commit of a time, by halving: times never run backwards in a log. */
async function firstSince(thread: ThreadHandle, since: number, head: number): Promise<number> {
  if (since <= 0) return 1
  let low = 1
  let high = head + 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const [commit] = await thread.log(middle, 1)
    if (commit === undefined || commit.at >= since) high = middle
    else low = middle + 1
  }
  return low
}

interface ModelCall {
  readonly run: string
  readonly usage?: Usage
  readonly cost: Cost
}

function callsOf({ facts }: Commit): readonly ModelCall[] {
  return facts.flatMap((fact): readonly ModelCall[] => {
    if (fact.type === 'model.responded') return [{ run: fact.run ?? '', usage: fact.usage, cost: fact.cost }]
    if (fact.type !== 'model.failed' || fact.usage === undefined) return []
    return [{ run: fact.run ?? '', usage: fact.usage, cost: fact.cost ?? 'unknown' }]
  })
}
