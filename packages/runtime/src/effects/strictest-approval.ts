import type { Approval } from '../contracts/approval.ts'

/** What holds when several ask: the shortest time, the most people. */
export function strictestApproval(approvals: readonly Approval[]): Approval {
  const asking = approvals.filter((approval) => approval !== false)
  if (asking.length < 2) return asking[0] ?? false
  const asked = asking.flatMap((approval) => (typeof approval === 'object' ? [approval] : []))
  const times = asked.flatMap(({ expiresInMs }) => (expiresInMs === undefined ? [] : [expiresInMs]))
  const people = asked.flatMap(({ quorum }) => (quorum === undefined ? [] : [quorum]))
  return {
    ...(times.length === 0 ? {} : { expiresInMs: Math.min(...times) }),
    ...(people.length === 0 ? {} : { quorum: Math.max(...people) })
  }
}
