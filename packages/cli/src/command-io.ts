import type { CommandSecrets } from './command-secrets.ts'
import type { Environment } from './env-file.ts'
import type { Report } from './failure.ts'

/** Where a command writes text. */
export interface TextSink {
  write(text: string): unknown
  /** Whether a person looks at it directly. */
  readonly isTTY?: boolean
}

/** What ends the process before the command does, and the stack for whoever mends it. */
export interface StrayEnd {
  readonly report: Report
  readonly stack?: string
}

/** A terminal that a person types at. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** What Ctrl-C does: where keys are read one by one, the system does not send its signal. */
  interrupt(): void
}

/** Everything that a command has of the world around it, so that it runs in a test as it does in a terminal. */
export interface CommandIo {
  /** Read only when a command is told to (`-`), and by a conversation. */
  readonly stdin: AsyncIterable<Uint8Array | string>
  /** The result, and nothing else. */
  readonly stdout: TextSink
  /** Progress, notices and errors. */
  readonly stderr: TextSink
  /** Says who is told what code of the user writes to the streams of the process. */
  readonly setStray?: (tell: (text: string) => void) => void
  /** Says who is told that the process ends before the command does, and gives the exit code. */
  readonly setStrayEnd?: (tell: (end: StrayEnd) => number) => void
  /** Only where a person types and looks. */
  readonly terminal?: Terminal
  readonly env: Environment
  /** Given where more than the command must be kept from telling them. */
  readonly secrets?: CommandSecrets
  /** An absolute folder. */
  readonly cwd: string
  /** Makes another folder the current one of the process, for tools that work relative to it. */
  readonly enter?: (folder: string) => void
  /** Gives the process what the environment of a project adds, for tools that read it. What is set already stays. */
  readonly adopt?: (env: Environment) => void
  /** Aborts with the name of the signal as its reason: let go of what is driven, say how to go on, end. */
  readonly signal?: AbortSignal
}
