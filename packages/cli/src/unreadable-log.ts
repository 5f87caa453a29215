import { isRuntimeError } from './failure.ts'

const UNREADABLE: readonly string[] = ['publication_missing', 'artifact_missing', 'artifact_corrupt', 'log_corrupt', 'format_unknown']

/** Whether an error keeps a log from being read as a whole; what can be read of it is shown all the same. */
export function isUnreadable(error: unknown): boolean {
  return isRuntimeError(error) && UNREADABLE.includes(error.code)
}
