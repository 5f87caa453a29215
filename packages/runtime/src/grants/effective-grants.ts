// Keeps I8: whoever wakes a thread, it may do what it was saved with and what is granted here today, and nothing else.
import type { Grants } from '../contracts/grants.ts'
import { intersectGrants } from './intersect-grants.ts'
import { readStoredGrants } from './stored-grants.ts'

/** What a thread is given at its birth: what the host grants, of that what is asked for. */
export function grantsAtBirth(host: Grants, ...asked: readonly (Grants | undefined)[]): Grants {
  return asked.reduce<Grants>((grants, each) => (each === undefined ? grants : intersectGrants(grants, each)), host)
}

/** What a thread may do today, by the record that it carries. Throws `grants_unreadable`. */
export function createEffectiveGrants(host: Grants): (record: unknown) => Grants {
  const known = new WeakMap<object, Grants>()
  return (record) => {
    if (typeof record !== 'object' || record === null) return toEffective(host, record)
    const found = known.get(record) ?? toEffective(host, record)
    known.set(record, found)
    return found
  }
}

function toEffective(host: Grants, record: unknown): Grants {
  const read = readStoredGrants(record)
  if (read.state === 'unreadable') throw read.error
  return read.state === 'recorded' ? intersectGrants(read.grants, host) : host
}
