import type { Commit, ThreadHandle, TurnRecord } from '@holdfast/runtime'

/** One of two threads that are compared: its turns behind what both have. */
export interface Branch {
  readonly thread: string
  readonly status: string
  readonly turns: readonly TurnRecord[]
}

/** Two threads with the beginning that they share. */
export interface Branches {
  /** How many commits both begin with. */
  readonly common: number
  readonly branches: readonly [Branch, Branch]
}

const PAGE_BYTES = 4 * 1024 * 1024

/** Reads two threads and finds where they part: the first commits whose digests differ. */
export async function readBranches(a: ThreadHandle, b: ThreadHandle): Promise<Branches> {
  const common = await countCommon(a, b)
  return { common, branches: [await readBranch(a, common), await readBranch(b, common)] }
}

async function readBranch(thread: ThreadHandle, common: number): Promise<Branch> {
  const { row } = await thread.info()
  const turns: TurnRecord[] = []
  for await (const record of thread.records()) if (record.to.sequence > common) turns.push(record)
  return { thread: thread.id, status: row.status, turns }
}

async function countCommon(a: ThreadHandle, b: ThreadHandle): Promise<number> {
  const others = commitsOf(b)
  let common = 0
  for await (const { digest } of commitsOf(a)) {
    const { done, value } = await others.next()
    if (done === true || value.digest !== digest) break
    common++
  }
  return common
}

async function* commitsOf(thread: ThreadHandle): AsyncGenerator<Commit> {
  for (let from = 1; ; ) {
    const page = await thread.log(from, PAGE_BYTES)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    from = last.sequence + 1
  }
}
