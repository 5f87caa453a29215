import type { Labels, Store, ThreadInfo, WaitKind, WaitRow } from '@holdfast/runtime'
import { loadLook } from './libraries.ts'

/** Which waits are meant. */
export interface WaitFilter {
  readonly thread?: string
  readonly kind?: readonly WaitKind[]
  readonly label?: Labels
}

/** A wait with what a list says of its thread. */
export type ListedWait = WaitRow & { readonly agent: string; readonly labels?: Labels }

/** A page of waits, oldest first; `next` goes on behind it. */
export interface WaitPage {
  readonly items: readonly ListedWait[]
  readonly next?: string
}

const PAGE_SIZE = 200

/** Reads a page of waits with the agents of their threads. Labels are the threads', so that pages of the store are read until enough fit. */
export async function listWaits(
  store: Pick<Store, 'waits' | 'thread'>,
  { thread, kind, label }: WaitFilter,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number }
): Promise<WaitPage> {
  const { DEFAULT_TENANT } = await loadLook()
  const query = { tenant: DEFAULT_TENANT, ...(thread === undefined ? {} : { thread }), ...(kind === undefined ? {} : { kind }) }
  const threads = createThreadReader(store)
  const items: ListedWait[] = []
  for (let from = after; ; ) {
    // Never more than are missing: where the page ends is where the next one begins.
    const size = Math.min(PAGE_SIZE, limit - items.length)
    const page = await store.waits({ ...query, limit: size, ...(from === undefined ? {} : { after: from }) })
    const infos = await Promise.all(page.items.map((wait) => threads(wait.thread)))
    items.push(...page.items.flatMap((wait, index) => toListed(wait, infos[index] ?? null, label)))
    if (page.next === undefined) return { items }
    if (items.length >= limit) return { items, next: page.next }
    from = page.next
  }
}

function createThreadReader(store: Pick<Store, 'thread'>): (thread: string) => Promise<ThreadInfo | null> {
  const known = new Map<string, Promise<ThreadInfo | null>>()
  return (thread) => {
    const reading = known.get(thread) ?? store.thread(thread)
    known.set(thread, reading)
    return reading
  }
}

/** All waits that are meant. */
export async function listAllWaits(store: Pick<Store, 'waits' | 'thread'>, filter: WaitFilter): Promise<readonly ListedWait[]> {
  const items: ListedWait[] = []
  for (let after: string | undefined; ; ) {
    const page = await listWaits(store, filter, { after, limit: 1_000 })
    items.push(...page.items)
    if (page.next === undefined) return items
    after = page.next
  }
}

function hasLabels({ labels = {} }: ThreadInfo, wanted: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}

function toListed(wait: WaitRow, info: ThreadInfo | null, label: Labels | undefined): readonly ListedWait[] {
  if (info === null || !hasLabels(info, label)) return []
  const { row, labels } = info
  return [{ ...wait, agent: row.agent, ...(labels === undefined ? {} : { labels }) }]
}
