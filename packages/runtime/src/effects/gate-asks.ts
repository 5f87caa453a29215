// Keeps I6, I12: an ask is satisfied by a decision about exactly this call, or by an approval that was given to go on; never by silence.
import type { Approval } from '../contracts/approval.ts'
import type { Digest } from '../contracts/ids.ts'
import type { Remembered } from '../state/state.ts'
import { toolKeyOf } from '../state/take-decision.ts'
import type { Judgement, SecondLook } from './gate-judgement.ts'
import { blocked } from './gate-refusals.ts'

/** A call that somebody asks about. */
export interface Asking {
  readonly asks: readonly string[]
  readonly approval: Approval
  readonly digest: Digest
  readonly tool: { readonly identity: string; readonly version: string }
  readonly remembered: readonly Remembered[]
  readonly again?: SecondLook
}

/** How often somebody may be asked about one call. */
const MAX_ROUNDS = 3
/** The ask of a call that is not any more what was approved. */
const CHANGED = 'changed'

/** Runs what is allowed, holds what nobody has decided about yet. */
export function judgeAsks(asking: Asking): Judgement {
  const { again, approval } = asking
  const open = openAsks(asking)
  if (open.length === 0) return { verdict: 'run', by: again ? 'decision' : 'remembered', asks: asking.asks }
  if (again && again.rounds >= MAX_ROUNDS) {
    return blocked('approval', `Not run: it was approved ${again.rounds} times, and each time something more had to be approved.`)
  }
  const { expiresInMs, quorum } = typeof approval === 'object' ? approval : {}
  return {
    verdict: 'hold',
    by: again ? 'second_look' : 'approval',
    asks: open,
    ...(expiresInMs === undefined ? {} : { expiresAfterMs: expiresInMs }),
    ...(quorum === undefined ? {} : { needed: quorum })
  }
}

function openAsks(asking: Asking): readonly string[] {
  const { asks, again, digest, remembered } = asking
  if (again) {
    const isSame = again.digest === null || again.digest === digest
    if (!isSame) return [...asks, CHANGED]
    // Fewer people than must approve it now have approved nothing.
    return again.needed < quorumOf(asking) ? asks : asks.filter((ask) => !again.answered.includes(ask))
  }
  return remembered.some((rule) => covers(rule, asking)) ? [] : asks
}

function quorumOf({ approval }: Asking): number {
  return typeof approval === 'object' ? (approval.quorum ?? 1) : 1
}

function covers(rule: Remembered, asking: Asking): boolean {
  const { asks, digest, tool } = asking
  if (rule.tool !== toolKeyOf(tool) || (rule.needed ?? 1) < quorumOf(asking)) return false
  if (rule.arguments !== undefined && rule.arguments !== digest) return false
  return asks.every((ask) => rule.asks.includes(ask))
}
