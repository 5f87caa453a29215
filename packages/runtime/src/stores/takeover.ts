import type { ClaimRequest } from '../contracts/claim.ts'

/** Whether a claim may dispossess this live owner. */
export function mayTakeOver({ takeover }: ClaimRequest, owner: string | null): boolean {
  return takeover === true || (typeof takeover === 'string' && takeover === owner)
}
