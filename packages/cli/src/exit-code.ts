import type { ErrorCode, RunStatus } from '@holdfast/runtime'

/** What the command's exit code says; a shell script may rely on it. */
export const EXIT = {
  completed: 0,
  failed: 1,
  /** Wrong usage, or input that cannot be used: nothing was started. */
  invalid: 2,
  /** The run waits for somebody or something. */
  waiting: 3,
  cancelled: 4,
  /** A limit ended the run. */
  stopped: 5,
  /** The store cannot be used, or another worker owns the thread or has taken it. */
  unreachable: 6
} as const

const BY_STATUS: { readonly [status in RunStatus]: number } = {
  completed: EXIT.completed,
  failed: EXIT.failed,
  cancelled: EXIT.cancelled,
  stopped: EXIT.stopped,
  waiting: EXIT.waiting,
  // At rest, but not yet driven: like a wait, it goes on with `resume`.
  queued: EXIT.waiting,
  running: EXIT.waiting
}

const INVALID: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_input',
  'invalid_manifest',
  'invalid_config',
  'invalid_tools',
  'value_too_large',
  'file_not_found',
  'file_unreadable',
  'output_unwritable',
  'secret_missing',
  'model_unknown',
  'model_not_granted',
  'tool_unknown',
  'thread_not_found',
  'thread_unplaceable',
  'plugin_changed',
  'conflict'
])

const UNREACHABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'thread_busy',
  'thread_taken',
  'store_unavailable',
  'store_full',
  'store_closed',
  'store_foreign',
  'store_newer',
  'store_corrupt',
  'log_corrupt',
  'format_unknown',
  'publication_missing',
  'artifact_missing',
  'artifact_corrupt'
])

/** The reason of an interruption by the command's own clock. */
export const TIME_UP = 'TIMEOUT'

/** The reason of an interruption because nothing can be written to standard output. */
export const OUTPUT_LOST = 'OUTPUT'

/** A shell's numbers: 128 and the number of the signal. A closed pipe counts as SIGPIPE; the time that is up has the number of timeout(1), lost output that of sysexits(3). */
const BY_SIGNAL: { readonly [signal: string]: number } = {
  [OUTPUT_LOST]: 74,
  [TIME_UP]: 124,
  SIGHUP: 129,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143
}

/** The exit code for what became of a run. */
export function exitCodeOfStatus(status: RunStatus): number {
  return BY_STATUS[status]
}

/** The exit code for an error that ended the command. */
export function exitCodeOfError(code: ErrorCode): number {
  if (INVALID.has(code)) return EXIT.invalid
  return UNREACHABLE.has(code) ? EXIT.unreachable : EXIT.failed
}

/** The exit code after a signal or a timeout: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP. */
export function exitCodeOfSignal(signal: string): number {
  return BY_SIGNAL[signal] ?? 130
}
