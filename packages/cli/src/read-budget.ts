import type { BudgetStatus, ThreadHandle } from '@holdfast/runtime'
import { isRuntimeError } from './failure.ts'

/** How a thread stands with its budget; null as well where what it is pinned to is gone. */
export async function readBudget(thread: ThreadHandle): Promise<BudgetStatus | null> {
  try {
    return await thread.budget()
  } catch (error) {
    if (isRuntimeError(error) && error.code === 'publication_missing') return null
    throw error
  }
}
