import type { Publication } from '../../src/contracts/publication.ts'
import { Violation } from './witness.ts'

/** A call as the log tells of it. */
export interface LoggedCall {
  readonly id: string
  readonly tool: string
  verdict: string | null
  approved: boolean | null
  expired: boolean
  held: boolean
  started: { readonly try: number; readonly attempt: number; readonly effect: string } | null
  settled: string | null
}

/** A turn with one call that is not safe beside others runs in call order, one at a time; any other up to the limit. */
export function assertPlace({ definition }: Publication, calls: readonly LoggedCall[], started: LoggedCall): void {
  const { tools, limits } = definition
  const together = calls.every((call) => tools.find((tool) => tool.name === call.tool)?.parallelSafe !== false)
  const running = calls.filter((call) => call.started && !call.settled)
  if (running.length > (together ? (limits.maxParallelCalls ?? 16) : 1)) {
    throw new Violation('order', `${running.map((call) => call.id).join(' ')} run together`)
  }
  const skipped = calls.slice(0, calls.indexOf(started)).find((call) => !call.started && !call.settled && !call.held)
  if (!together && skipped && started.started?.try === 1) throw new Violation('order', `${started.id} starts before ${skipped.id}`)
}
