import type { BudgetStatus, ThreadHandle } from '@holdfast/runtime'
import { isUnreadable } from './unreadable-log.ts'

/** How a thread stands with its budget; null as well where its log cannot be read as a whole. */
export async function readBudget(thread: ThreadHandle): Promise<BudgetStatus | null> {
  try {
    return await thread.budget()
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}
