import type { SQLInputValue } from 'node:sqlite'
import type { ThreadQuery } from '../contracts/query.ts'
import { fromThreadCursor } from './page-cursor.ts'
import { toActivity } from './sqlite-tables.ts'

/** One condition of a list: its text, and the values that it takes. */
export type Condition = readonly [text: string, ...values: SQLInputValue[]]

/** Where a list of threads begins to look, what it leaves out, and its order. */
export interface ThreadFilter {
  readonly from: string
  readonly conditions: readonly Condition[]
  readonly order: string
}

/** A label, as its table is asked for it. */
export type LabelEntry = readonly [key: string, value: string]

const OPEN_STATUSES: ReadonlySet<string> = new Set(['queued', 'running', 'waiting'])

/**
 * How a query for threads is asked. The threads of a label are walked in the order of the list, unless what else is asked for is a handful by
 * itself: a tree, or open threads among many ended ones. `rarest` tells which of several labels the fewest threads have.
 */
export function toThreadFilter(query: ThreadQuery, rarest: (tenant: string, labels: readonly LabelEntry[]) => number): ThreadFilter {
  const labels = Object.entries(query.labels ?? {})
  const isOpen = query.status?.every((status) => OPEN_STATUSES.has(status)) === true
  if (labels.length === 0 || isOpen || query.root !== undefined) return ofThreads(query, labels, isOpen)
  const first = labels.length === 1 ? 0 : rarest(query.tenant, labels)
  const [key = '', value = ''] = labels[first] ?? []
  const others = labels.filter((_, index) => index !== first)
  return {
    from: 'label AS l CROSS JOIN thread AS t ON t.no = l.thread',
    conditions: [['l.tenant = ? AND l.key = ? AND l.value = ?', query.tenant, key, value], ...others.map(hasLabel), ...shared(query, 'l')],
    order: 'l.activity DESC, t.at DESC, t.id DESC'
  }
}

function ofThreads(query: ThreadQuery, labels: readonly LabelEntry[], isOpen: boolean): ThreadFilter {
  // A tree is small: the plus keeps SQLite from walking all of the tenant's threads in order instead.
  const conditions: Condition[] = [[query.root === undefined ? 't.tenant = ?' : '+t.tenant = ?', query.tenant]]
  if (query.root !== undefined) conditions.push(['t.root = ?', query.root])
  // The words of the partial index, so that a few open threads are found among many ended ones.
  if (isOpen) conditions.push([`t.status IN ('queued', 'running', 'waiting')`])
  conditions.push(...shared(query, 't'), ...labels.map(hasLabel))
  return { from: 'thread AS t', conditions, order: 't.activity DESC, t.at DESC, t.id DESC' }
}

/** Conditions of every list; `ordered` is the table whose index gives the order. */
function shared(query: ThreadQuery, ordered: 'l' | 't'): readonly Condition[] {
  const conditions: Condition[] = []
  if (query.since !== undefined) conditions.push([`${ordered}.activity >= ?`, toActivity(query.since)], ['t.at >= ?', query.since])
  if (query.status !== undefined) conditions.push(['t.status IN (SELECT value FROM json_each(?))', JSON.stringify(query.status)])
  if (query.after !== undefined) {
    const { at, id } = fromThreadCursor(query.after)
    conditions.push([`${ordered}.activity <= ?`, toActivity(at)], ['(t.at < ? OR (t.at = ? AND t.id < ?))', at, at, id])
  }
  return conditions
}

function hasLabel([key, value]: LabelEntry): Condition {
  const same = 'm.tenant = t.tenant AND m.key = ? AND m.value = ? AND m.activity = t.activity AND m.thread = t.no'
  return [`EXISTS (SELECT 1 FROM label AS m WHERE ${same})`, key, value]
}
