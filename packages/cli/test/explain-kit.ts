import type { FactOf, RunStatus, ThreadInfo, WaitKind, WaitRow } from '@holdfast/runtime'
import { DEFAULT_LIMITS } from '@holdfast/runtime'
import type { Situation } from '../src/situation.ts'

/** What time it is. */
export const NOW = Date.UTC(2026, 10, 30)
export const LATER = NOW + 3_600_000
export const OWNER = { worker: 'there:7:abc0', leaseUntil: NOW + 10_000 }
export const HOSTILE = 'x\u001b[2J\u202e\n\u009b31m'

type Over = Partial<Omit<Situation, 'info' | 'activity'>> & {
  readonly row?: Partial<ThreadInfo['row']>
  readonly info?: Partial<ThreadInfo>
  readonly activity?: Partial<Situation['activity']>
}

/** Made for tests of explanations. */
export function situation(status: RunStatus, { row, info, activity, ...over }: Over = {}): Situation {
  return {
    info: {
      ...{
        tenant: 'default',
        id: 'thr_1',
        root: 'thr_1',
        path: '',
        publication: 'sha256:p',
        createdAt: NOW,
        at: NOW,
        head: 9,
        attempt: 1,
        pending: 0
      },
      ...info,
      row: {
        ...{ status, agent: 'tester', needs: [], run: 'run_1', turns: 3, startedIn: 2 },
        ...{ usage: { inputTokens: 0, outputTokens: 0 }, cost: 0, runUsage: { inputTokens: 0, outputTokens: 0 }, runCost: 0 },
        ...row
      }
    },
    limits: { ...DEFAULT_LIMITS, maxOutputBytes: 777, runTimeoutMs: 60_000 },
    waits: [],
    activity: { calls: [], ...activity },
    now: NOW,
    ...over
  }
}

/** Made for tests of explanations. */
export function wait(kind: WaitKind, over: Partial<WaitRow> = {}): WaitRow {
  const subject = { tool: 'pay', arguments: { amount: 7 } }
  return {
    id: `thr_1:${kind}`,
    thread: 'thr_1',
    root: 'thr_1',
    path: '',
    kind,
    subject,
    digest: '',
    needed: 1,
    votes: [],
    state: 'open',
    ...over
  }
}

/** Made for tests of explanations. */
export function failed(code: string, message = 'said the provider'): Over {
  const end: FactOf<'run.ended'> = { v: 1, type: 'run.ended', status: 'failed', why: code, error: { code, message } }
  return { row: { why: code }, end }
}
