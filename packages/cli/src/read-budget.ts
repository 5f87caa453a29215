import type { BudgetStatus, ThreadHandle } from '@holdfast/runtime'
import { isRuntimeError } from './failure.ts'

/** What keeps a log from being read as a whole; what can be read of it is shown all the same. */
const UNREADABLE: readonly string[] = ['publication_missing', 'artifact_missing', 'artifact_corrupt', 'log_corrupt', 'format_unknown']

/** How a thread stands with its budget; null as well where its log cannot be read as a whole. */
export async function readBudget(thread: ThreadHandle): Promise<BudgetStatus | null> {
  try {
    return await thread.budget()
  } catch (error) {
    if (isRuntimeError(error) && UNREADABLE.includes(error.code)) return null
    throw error
  }
}
