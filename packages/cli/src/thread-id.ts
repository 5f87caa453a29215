import { Failure } from './failure.ts'

/** Whether a text has the form of a thread's id. */
export function isThreadId(text: string): boolean {
  return /^thr_[0-9A-Za-z_-]{1,64}$/.test(text)
}

/** A thread's id as a person typed it. It becomes part of a path: nothing else than an id passes. Throws `invalid_input`. */
export function parseThreadId(text: string): string {
  if (isThreadId(text)) return text
  throw new Failure('invalid_input', `${JSON.stringify(text.slice(0, 100))} is no thread id: expected thr_ and letters and digits.`, {
    remedy: 'List the threads with `holdfast threads`.'
  })
}
